/** Rows of a CSV text (RFC 4180) as texts by the name of their column; the first line names the columns. */
export function parseCsv(text: string): Record<string, string>[] {
  const [names = [], ...rows] = text.trimEnd().split('\n').map(splitLine);
  return rows.map((cells) => Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ''])));
}

/** The cells of a line; a cell in quotes may hold commas and doubled quotes, no line breaks. */
function splitLine(line: string): string[] {
  const cells = line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g);
  return Array.from(cells, ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
}
