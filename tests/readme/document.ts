import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');
export const readme = readFileSync(join(root, 'README.md'), 'utf8');

export interface Block {
  /** The heading that it stands under. */
  readonly section: string;
  readonly language: string;
  readonly text: string;
}

/** Every fenced block, in order. */
export function codeBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let section = '';
  for (const [, heading, language, text] of markdown.matchAll(/^#+ (.+)$|^```(\w*)\n([^]*?)^```$/gm)) {
    if (heading !== undefined) section = heading;
    else blocks.push({ section, language: language ?? '', text: text ?? '' });
  }
  return blocks;
}

/** The rows of the tables under a heading, each a list of cells, without head and rule. */
export function tableRows(markdown: string, heading: string): string[][] {
  const [, section = ''] = markdown.split(`## ${heading}\n`);
  return (section.split(/^## /m)[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}
