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

const POOL = 'src/compute/pool.ts';

export const BOUNDS: readonly Bound[] = [
  {
    name: 'length of an address, parameters of a query and their reading in linear time',
    attacks: ['query-string', 'long-paths'],
    edits: [
      { file: 'src/http/app.ts', from: 'app.use(checkRequestBounds, ', to: 'app.use(' },
      {
        file: 'src/http/request-values.ts',
        from: "if (typeof before === 'string') values.set(name, [before, value]);",
        to: "if (typeof before !== 'number') values.set(name, [before, value].flat());",
      },
    ],
  },
  {
    name: 'size of a form at the token endpoint',
    attacks: ['forms'],
    edits: [
      {
        file: 'src/http/oauth-routes.ts',
        from: 'const limit = route.body?.maxBytes ?? 0;',
        to: 'const limit = 1_048_576;',
      },
    ],
  },
  {
    name: 'open bodies of an address, and how long they and headers may take',
    attacks: ['half-open', 'half-open-burst', 'slow-headers'],
    edits: [
      {
        file: 'src/http/open-bodies.ts',
        from: '{ idleMs: 10_000, maxOfAddress: 256 }',
        to: '{ idleMs: 1_000_000, maxOfAddress: Infinity }',
      },
      { file: 'src/http/bounded-server.ts', from: 'headersMs: 10_000,', to: 'headersMs: 1_000_000,' },
      { file: 'src/http/bounded-server.ts', from: 'requestMs: 30_000,', to: 'requestMs: 1_000_000,' },
    ],
  },
  {
    name: 'turns of a partner, and threads beside the event loop',
    attacks: ['valid-prices', 'faulty-prices', 'previews', 'series', 'schedules'],
    edits: [
      {
        file: POOL,
        from: 'const answer = await this.#runOnThread(name, input);',
        to: "const { runJob } = await import('./jobs.ts'); const answer = { output: await runJob({ name, input }) } as JobAnswer;",
      },
      {
        file: POOL,
        from: 'return this.#turns.acquire(partnerId, signal);',
        to: 'return Promise.resolve(() => undefined);',
      },
      {
        file: POOL,
        from: 'return this.#turns.run(partnerId, () => this.run(partnerId, name, input));',
        to: 'return this.run(partnerId, name, input);',
      },
      {
        file: POOL,
        from: 'const release = await this.#units.acquire(partnerId, signal);',
        to: 'const release = (): void => undefined;',
      },
    ],
  },
  {
    name: 'event streams of a partner',
    attacks: ['event-streams'],
    edits: [
      {
        file: 'src/streams/event-feed.ts',
        from: 'if (others >= limit || this.isFull) return undefined;',
        to: 'if (this.isFull) return undefined;',
      },
    ],
  },
  {
    name: 'password hashes at once',
    attacks: ['login', 'password-grant'],
    edits: [
      {
        file: 'src/compose/api.ts',
        from: 'new FairShare(PASSWORD_HASHES)',
        to: 'new FairShare({ capacity: 10_000, maxWaiting: 10_000 })',
      },
    ],
  },
  {
    name: 'one quota for all tokens of a partner',
    attacks: ['ten-applications'],
    edits: [{ file: 'src/http/authorize.ts', from: "{ policy: 'partner', subject: partner },", to: '' }],
  },
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
