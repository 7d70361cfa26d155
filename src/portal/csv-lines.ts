/** Lines as RFC 4180 has them, of values that need no quotes: names, instants and numbers; null is an empty one. */
export function toCsv(lines: readonly (readonly (string | number | boolean | null)[])[]): string {
  return lines.map((values) => `${values.join(',')}\r\n`).join('');
}
