/** What stands around the part of a page that a program writes; what is between belongs to the program. */
export interface Markers {
  readonly start: string;
  readonly end: string;
}

const ROOMS: Markers = { start: '<!-- rooms: written by make rooms -->\n', end: '\n<!-- end of rooms -->' };

/** The page with the picture of the rooms between its markers. Throws when a marker is missing. */
export function replaceBlock(page: string, picture: string): string {
  return replaceBetween(page, ROOMS, `\`\`\`text\n${picture}\n\`\`\``);
}

/** The page with `text` in place of what stands between the markers. Throws when a marker is missing. */
export function replaceBetween(page: string, { start, end }: Markers, text: string): string {
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The page needs the markers ${start.trim()} and ${end.trim()}.`);
  return `${page.slice(0, from + start.length)}\n${text}\n${page.slice(to)}`;
}
