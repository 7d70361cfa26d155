// What is shown only once is stored only where it was shown.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { emptyDatabase, testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { INHERITED_ENV, PARTNER_COMMAND } from '../support/service.ts';
import { encryptionKey, fixedCredentials, partner } from './partner.ts';

let database: TestDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  database = await testDatabase();
  env = { DATABASE_URL: database.url, ENCRYPTION_KEY: encryptionKey() };
});
afterAll(() => database.close());

interface End {
  readonly code: number | null;
  readonly log: string;
}

/** Runs a command of whose output or log nobody reads anything. */
async function runUnread(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = env,
  unread: 'stdout' | 'stderr' = 'stdout',
): Promise<End> {
  const child = spawn(PARTNER_COMMAND, args, {
    env: { ...INHERITED_ENV, PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child[unread].destroy();
  const [log, [code]] = await Promise.all([
    unread === 'stderr' ? '' : text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, log };
}

const NOT_TAKEN = {
  code: 1,
  log: expect.stringMatching(
    /^partner: Standard output does not take what is shown only once, so nothing was changed\. \(.*EPIPE.*\)\n$/,
  ) as unknown,
};

/** Everything that a command with a secret may change. */
async function stored(): Promise<unknown> {
  const { rows } = await database.pool.query(`
    select (select json_agg(o order by id) from organizations o) as organizations,
      (select json_agg(a order by id) from applications a) as applications,
      (select json_agg(u order by id) from users u) as users`);
  return rows;
}

test('commands whose credentials nobody was shown have changed nothing', async () => {
  const made = await partner(
    ['org', 'create', '--name', 'One', '--admin-email', 'a@b.example', '--json'],
    env,
  );
  const { org_id: org = '', client_id: client = '' } = JSON.parse(made.output) as Record<string, string>;
  const before = await stored();
  for (const args of [
    ['org', 'create', '--name', 'Two', '--admin-email', 'c@d.example'],
    ['application', 'secret', client],
    ['user', 'password', '--org', org, 'a@b.example', '--json'],
  ])
    expect([args, await runUnread(args)]).toEqual([args, NOT_TAKEN]);
  expect(await stored()).toEqual(before);
});

test('a first start whose credentials nobody was shown has made nothing, and ends', async () => {
  const empty = await emptyDatabase();
  try {
    const settings = { ...env, ...fixedCredentials().env, DATABASE_URL: empty.url };
    const { code, log } = await runUnread(['serve', '--print-credentials'], settings);
    expect([code, log]).toEqual([1, expect.stringContaining('so nothing was changed')]);
    expect((await empty.pool.query('select id from organizations')).rows).toEqual([]);
  } finally {
    await empty.close();
  }
});

test('a command of whose output the rest is lost ends with 1, and of whose log with its own code', async () => {
  expect(await runUnread(['--help'])).toEqual({
    code: 1,
    log: expect.stringMatching(/^partner: Standard output takes nothing \(.*EPIPE.*\)\.\n$/) as unknown,
  });
  expect(await runUnread(['org', 'quota', 'xx'], env, 'stderr')).toEqual({ code: 2, log: '' });
});
