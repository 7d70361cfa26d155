import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './version.ts';

/**
 * Gives a tree the packages of this one. What Node keeps compiled beside them is the tree's own, and is removed with it: it is found
 * by the path of each file, and would be of no use to any other tree.
 */
export function linkPackages(tree: string): void {
  const [from, to] = [join(ROOT, 'node_modules'), join(tree, 'node_modules')];
  mkdirSync(to);
  for (const name of readdirSync(from)) if (name !== '.cache') symlinkSync(join(from, name), join(to, name));
}
