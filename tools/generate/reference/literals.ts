/** JSON values as literals of other languages, as their formatters would break the lines. */

/** A value as an expression of TypeScript; lines after the first are indented by `indent`. */
export function formatTypeScript(value: unknown, indent = ''): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const lines = Object.entries(value).map(([key, each]) => {
    const name = /^[A-Za-z_]\w*$/.test(key) ? key : quote(key);
    return `${isList ? '' : `${name}: `}${formatTypeScript(each, `${indent}  `)}`;
  });
  return wrap(lines, isList ? '[]' : '{}', { indent, step: '  ' });
}

/** A value as an expression of Python. */
export function formatPython(value: unknown, indent = ''): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const isList = Array.isArray(value);
  const lines = Object.entries(value).map(
    ([key, each]) => `${isList ? '' : `${JSON.stringify(key)}: `}${formatPython(each, `${indent}    `)}`,
  );
  return wrap(lines, isList ? '[]' : '{}', { indent, step: '    ' });
}

const SHORT = 60;

function wrap(
  lines: readonly string[],
  brackets: '[]' | '{}',
  at: { readonly indent: string; readonly step: string },
): string {
  const [open, close] = brackets === '[]' ? ['[', ']'] : ['{', '}'];
  const short = lines.join(', ');
  const isShort = short.length <= SHORT && !short.includes('\n');
  if (lines.length === 0) return `${open}${close}`;
  if (isShort) return open === '{' && at.step === '  ' ? `{ ${short} }` : `${open}${short}${close}`;
  return `${open}\n${lines.map((line) => `${at.indent}${at.step}${line},\n`).join('')}${at.indent}${close}`;
}

function quote(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped}'`;
}
