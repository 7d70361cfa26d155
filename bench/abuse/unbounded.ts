// A copy of the source without some of its bounds.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { linkPackages } from '../link-packages.ts';
import type { Bound } from './bounds/bound.ts';

const ROOT = join(import.meta.dirname, '../..');
/** What a service needs to run, and what stands before it. */
export const SERVICE_PARTS = [
  'CHANGELOG.md',
  'README.md',
  'bin',
  'deploy',
  'docs',
  'generated',
  'migrations',
  'openapi',
  'package.json',
  'src',
];

export interface Tree {
  readonly folder: string;
  /** `partner` of the copy. */
  readonly command: string;
  remove(): void;
}

/** A copy of these files and folders of the source, with the packages of this one. */
export function copyTree(parts: readonly string[] = SERVICE_PARTS): Tree {
  const folder = mkdtempSync(join(tmpdir(), 'partner-unbounded-'));
  const filter = (path: string): boolean => basename(path) !== 'node_modules';
  for (const name of parts) cpSync(join(ROOT, name), join(folder, name), { recursive: true, filter });
  linkPackages(folder);
  return {
    folder,
    command: join(folder, 'bin/partner'),
    // What still runs there when its parent is interrupted may write meanwhile.
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/**
 * A copy of the source without the bounds.
 * @throws Error when a place is not found.
 */
export function copyWithout(bounds: readonly Bound[]): Tree {
  const tree = copyTree();
  for (const { edits } of bounds) takeOut(tree.folder, edits);
  return tree;
}

/**
 * Takes a bound out of a copy; the returned function puts it back.
 * @throws Error when a place is not found there, or more often than once; then nothing is changed.
 */
export function takeOut(folder: string, edits: Bound['edits']): () => void {
  const before = new Map<string, string>();
  const after = new Map<string, string>();
  for (const { file, from, to, everywhere } of edits) {
    const path = join(folder, file);
    const text = after.get(path) ?? readFileSync(path, 'utf8');
    if (!before.has(path)) before.set(path, text);
    const count = text.split(from).length - 1;
    if (everywhere ? count === 0 : count !== 1) throw new Error(`${file} has ${count} places like: ${from}`);
    after.set(
      path,
      text.replaceAll(from, () => to),
    );
  }
  for (const [path, text] of after) writeFileSync(path, text);
  return () => {
    for (const [path, text] of before) writeFileSync(path, text);
  };
}
