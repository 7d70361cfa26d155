import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const IMPORT = /^import \{[^}]*\} from '(\.[^']+)';\n/gm;
const EXPORT = /^export (?=(?:async )?function|const|class)/gm;

/**
 * A script and the scripts that it imports as one module, so that a page asks for one file: what is imported stands before it, each
 * script once. They import names as they are, by relative paths, and no two of them may have a name in common at their outermost
 * level: browsers refuse the whole module then.
 */
export function joinModules(entry: string): Buffer {
  return Buffer.from(listModules(entry, new Set()).join('\n'));
}

function listModules(path: string, seen: Set<string>): string[] {
  if (seen.has(path)) return [];
  seen.add(path);
  const text = readFileSync(path, 'utf8');
  const imported = [...text.matchAll(IMPORT)].flatMap(([, name = '']) =>
    listModules(join(dirname(path), name), seen),
  );
  return [...imported, text.replaceAll(IMPORT, '').replaceAll(EXPORT, '')];
}
