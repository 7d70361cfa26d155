/**
 * The little Markdown that descriptions use, as HTML: headings, paragraphs, lists, tables, fenced code, code spans,
 * emphasis, links to this server and to http(s) addresses. Everything is escaped; raw HTML shows as text.
 */
export function renderMarkdown(text: string, topHeading = 2): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const out: string[] = [];
  let at = 0;
  while (at < lines.length) {
    const block = blockAt(lines, at, topHeading);
    if (block.html !== '') out.push(block.html);
    at = block.end;
  }
  return out.join('\n');
}

interface Block {
  readonly html: string;
  /** The line after the block. */
  readonly end: number;
}

const listItem = /^\s*(?:[-*]|\d+\.)\s+/;
const numbered = /^\s*\d+\.\s+/;
const tableRule = /^\s*\|?\s*:?-{3,}/;

function blockAt(lines: readonly string[], at: number, topHeading: number): Block {
  const line = lines[at] ?? '';
  if (line.trim() === '') return { html: '', end: at + 1 };
  const heading = /^(#{1,6})\s+(.*)$/.exec(line);
  if (heading !== null) {
    const level = Math.min(6, topHeading + (heading[1] ?? '').length - 1);
    return { html: `<h${level}>${renderInlineMarkdown(heading[2] ?? '')}</h${level}>`, end: at + 1 };
  }
  if (line.trim().startsWith('```')) return codeAt(lines, at);
  if (line.trim().startsWith('|') && tableRule.test(lines[at + 1] ?? '')) return tableAt(lines, at);
  if (listItem.test(line)) return listAt(lines, at);
  const end = endOf(lines, at, (each) => each.trim() !== '' && !startsBlock(each));
  return { html: `<p>${renderInlineMarkdown(lines.slice(at, end).join('\n'))}</p>`, end };
}

/** What ends a paragraph. Of numbered items only the first: a wrapped line may begin with "409." (CommonMark 5.3). */
function startsBlock(line: string): boolean {
  return /^(?:#{1,6}\s|\s*(?:```|\||[-*]\s|1\.\s))/.test(line);
}

/** The first line behind `at` that no longer belongs. */
function endOf(lines: readonly string[], at: number, belongs: (line: string) => boolean): number {
  const end = lines.findIndex((line, index) => index > at && !belongs(line));
  return end === -1 ? lines.length : end;
}

function codeAt(lines: readonly string[], at: number): Block {
  const end = endOf(lines, at, (line) => !line.trim().startsWith('```'));
  const code = escapeHtml(lines.slice(at + 1, end).join('\n'));
  return { html: `<pre tabindex="0"><code>${code}</code></pre>`, end: end + 1 };
}

function tableAt(lines: readonly string[], at: number): Block {
  const end = endOf(lines, at, (line) => line.trim().startsWith('|'));
  const [head = [], , ...rows] = lines.slice(at, end).map(cells);
  const header = head.map((cell) => `<th scope="col">${renderInlineMarkdown(cell)}</th>`).join('');
  const body = rows
    .map((row) => `<tr>${row.map((cell) => `<td>${renderInlineMarkdown(cell)}</td>`).join('')}</tr>`)
    .join('');
  const table = `<table><thead><tr>${header}</tr></thead><tbody>${body}</tbody></table>`;
  return { html: `<div class="scroll" tabindex="0" role="region" aria-label="Table">${table}</div>`, end };
}

function cells(line: string): string[] {
  return line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** Items may go on in indented lines. */
function listAt(lines: readonly string[], at: number): Block {
  const end = endOf(lines, at, (line) => listItem.test(line) || /^\s+\S/.test(line));
  const items: string[] = [];
  for (const line of lines.slice(at, end)) {
    if (listItem.test(line)) items.push(line.replace(listItem, ''));
    else items.push(`${items.pop() ?? ''}\n${line.trim()}`);
  }
  const tag = numbered.test(lines[at] ?? '') ? 'ol' : 'ul';
  return {
    html: `<${tag}>${items.map((item) => `<li>${renderInlineMarkdown(item)}</li>`).join('')}</${tag}>`,
    end,
  };
}

/** Code spans stand as they are written; emphasis and links are read in the text between them. */
export function renderInlineMarkdown(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part, index) =>
      index % 2 === 1 ? `<code>${escapeHtml(part.slice(1, -1))}</code>` : emphasis(part),
    )
    .join('');
}

function emphasis(text: string): string {
  return escapeHtml(text)
    .replace(/\[([^\]]+)\]\(((?:https?:\/\/|\/(?!\/)|#)[^)\s]*)\)/g, '<a href="$2">$1</a>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/\*([^*\n]+)\*/g, '<em>$1</em>');
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
