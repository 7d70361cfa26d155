const START = '<!-- rooms: written by make rooms -->\n';
const END = '\n<!-- end of rooms -->';

/** The page with `text` in place of what stands between its two markers. Throws when a marker is missing. */
export function replaceBlock(page: string, text: string): string {
  const start = page.indexOf(START);
  const end = page.indexOf(END);
  if (start < 0 || end < start)
    throw new Error(`The page needs the markers ${START.trim()} and ${END.trim()}.`);
  return `${page.slice(0, start + START.length)}\n\`\`\`text\n${text}\n\`\`\`\n${page.slice(end)}`;
}
