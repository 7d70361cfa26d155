/** Between these the tables of docs/scale.md stand. */
export const SCALE_MARKERS = {
  start: '<!-- tables: written by node bench/scale/main.ts -->\n',
  end: '\n<!-- end of tables -->',
} as const;
