// What an UPDATE writes and looks for is passed to it: of a distributed table it may take nothing from clocks, dice and sessions of the
// database, as the same statement runs on several machines. Exceptions say why.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const FOLDER = join(import.meta.dirname, '../../src/queries');

/** Functions of PostgreSQL that answer otherwise each time or in another session; `extract` of an instant goes by the time zone. */
const FUNCTIONS = [
  'now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday',
  'random|random_normal|gen_random_uuid|uuidv4|uuidv7|nextval|setval|txid_current',
  String.raw`extract|date_part|date_trunc|age|to_char|pg_\w+`,
].join('|');

/** By the function in the code. */
const EXCEPTIONS: Readonly<Record<string, { readonly takes: readonly string[]; readonly why: string }>> = {
  requeueDelivery: {
    takes: ['dueAtOnce'],
    why: 'What is due is said by the clock of the database; of no column, so it is worked out once.',
  },
  requeueExhausted: {
    takes: ['dueAtOnce'],
    why: 'As requeueDelivery.',
  },
  releaseAbandonedDeliveryLeases: {
    takes: ['now'],
    why: 'Leases end by the clock of the database, in a select beside the update.',
  },
};

interface Declaration {
  readonly name: string;
  readonly code: string;
}

/** What a file declares at its top, without comments. */
function splitDeclarations(source: string): Declaration[] {
  const code = source.replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, '');
  return code.split(/^(?=(?:export )?(?:async )?(?:function|const) )/m).map((each) => ({
    name: /^(?:export )?(?:async )?(?:function|const) (\w+)/.exec(each)?.[1] ?? '',
    code: each,
  }));
}

const writesRows = (code: string): boolean =>
  /(?<!for |for no key )\bupdate\s+\w+|\bupdateTable\(|\bdoUpdateSet\(/.test(code);

const findCalls = (code: string): string[] =>
  [...code.matchAll(new RegExp(String.raw`(?<![.\w])(${FUNCTIONS})\(`, 'g'))].map(([, name = '']) => name);

/** What updates take, by the function that sends them; also through parts of statements that others write. */
function listTaken(sources: readonly string[]): Record<string, string[]> {
  const declarations = sources.flatMap(splitDeclarations);
  const parts = declarations.filter(
    ({ code }) =>
      !writesRows(code) && findCalls(code).length > 0 && !/\.execute\(|prepare(Shapes)?\(/.test(code),
  );
  const partsOf = (code: string): string[] =>
    parts.map(({ name }) => name).filter((name) => new RegExp(String.raw`\$\{${name}\b`).test(code));
  const taken = declarations
    .filter(({ code }) => writesRows(code))
    .map(({ name, code }) => [name, [...new Set([...findCalls(code), ...partsOf(code)])].sort()] as const);
  return Object.fromEntries(taken.filter(([, calls]) => calls.length > 0));
}

test('an update takes nothing from clock, dice or session of the database but for what is known', () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.startsWith('connection/'),
  );
  const known = Object.entries(EXCEPTIONS).map(([name, { takes }]) => [name, takes] as const);
  const taken = listTaken(files.map((name) => readFileSync(join(FOLDER, name), 'utf8')));
  expect(taken).toEqual(Object.fromEntries(known));
});

test.each([
  ['function f() {\n  sql`update a set at = now()`;\n}', { f: ['now'] }],
  [
    'const due = () => sql`clock_timestamp()`;\nexport function g() {\n  sql`update a set at = ${due()}`;\n}',
    { g: ['due'] },
  ],
  [
    "export async function h() {\n  db.updateTable('a').set({ id: sql`gen_random_uuid()` });\n}",
    { h: ['gen_random_uuid'] },
  ],
  [
    'function i() {\n  sql`insert into a on conflict do update set day = extract(epoch from at)`;\n}',
    { i: ['extract'] },
  ],
  ['/** now() */\nfunction j() {\n  sql`update a set n = 1`; // now()\n  performance.now();\n}', {}],
  [
    'function k() {\n  sql`select now() from a for update`;\n  sql`select now() from a for no key update skip locked`;\n}',
    {},
  ],
])('%s', (source, taken) => {
  expect(listTaken([source])).toEqual(taken);
});
