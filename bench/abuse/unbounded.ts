// A copy of the source without some of its bounds.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linkPackages } from '../link-packages.ts';
import type { Bound } from './bounds/bound.ts';

const ROOT = join(import.meta.dirname, '../..');
/** What a service needs to run. */
const NEEDED = [
  'CHANGELOG.md',
  'README.md',
  'bin',
  'docs',
  'generated',
  'migrations',
  'openapi',
  'package.json',
  'src',
];

export interface Tree {
  /** `partner` of the copy. */
  readonly command: string;
  remove(): void;
}

/**
 * A copy of the source without the bounds.
 * @throws Error when a place is not found.
 */
export function copyWithout(bounds: readonly Bound[]): Tree {
  const folder = mkdtempSync(join(tmpdir(), 'partner-unbounded-'));
  for (const name of NEEDED) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  linkPackages(folder);
  for (const edit of bounds.flatMap(({ edits }) => edits)) apply(folder, edit);
  return {
    command: join(folder, 'bin/partner'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function apply(folder: string, { file, from, to, everywhere }: Bound['edits'][number]): void {
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  const count = text.split(from).length - 1;
  if (everywhere ? count === 0 : count !== 1) throw new Error(`${file} has ${count} places like: ${from}`);
  writeFileSync(
    path,
    text.replaceAll(from, () => to),
  );
}
