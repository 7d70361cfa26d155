// What each attack would do without its bound: places in the source where a bound is taken out of a copy of it. A test
// finds every place, so that none is forgotten when the source changes.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Bound {
  readonly name: string;
  /** The attacks that it holds up. */
  readonly attacks: readonly string[];
  readonly edits: readonly Edit[];
}

interface Edit {
  readonly file: string;
  /** Stands in the file once, or often where it is to be replaced everywhere. */
  readonly from: string;
  readonly to: string;
  readonly everywhere?: true;
}

export const BOUNDS: readonly Bound[] = [
  {
    name: 'depth, properties and containers of JSON',
    attacks: ['nesting'],
    edits: [
      {
        file: 'src/contract/json-body.ts',
        from: 'const fault = findJsonFault(text);',
        to: 'const fault = ((): string | undefined => undefined)();',
      },
    ],
  },
  {
    name: 'errors that are sought and told',
    attacks: ['faulty-prices'],
    edits: [
      {
        file: 'generated/find-body-errors.js',
        from: 'if(errors >= 408){',
        to: 'if(errors >= Infinity){',
        everywhere: true,
      },
      {
        file: 'src/contract/field-errors.ts',
        from: 'if (seen.size === FIELD_ERRORS_SOUGHT) break;',
        to: '',
      },
    ],
  },
  {
    name: 'requests that wait on a connection',
    attacks: ['pipelining', 'document-slowly'],
    edits: [
      {
        file: 'src/http/connection.ts',
        from: 'const MAX_WAITING_REQUESTS = 100;',
        to: 'const MAX_WAITING_REQUESTS = Infinity;',
      },
    ],
  },
  {
    name: 'one request of a connection at a time, and readers that take nothing',
    attacks: ['locations', 'users-slowly'],
    edits: [
      {
        file: 'src/http/connection.ts',
        from: 'if (this.#current === undefined) {',
        to: 'if (Date.now() > 0) {',
      },
      {
        file: 'src/http/slow-readers.ts',
        from: 'READER_LIMIT_MS = 10_000',
        to: 'READER_LIMIT_MS = 10_000_000',
      },
    ],
  },
];

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
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const edit of bounds.flatMap(({ edits }) => edits)) apply(folder, edit);
  return {
    command: join(folder, 'bin/partner'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function apply(folder: string, { file, from, to, everywhere }: Edit): void {
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  const count = text.split(from).length - 1;
  if (everywhere ? count === 0 : count !== 1) throw new Error(`${file} has ${count} places like: ${from}`);
  writeFileSync(
    path,
    text.replaceAll(from, () => to),
  );
}
