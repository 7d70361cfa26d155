// A partner may make what a removal removes for as long as it likes: the others wait for the time of that removal alone.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newAccessToken, sha256Digest } from '../../src/domain/security/credentials.ts';
import { removeExpiredData, startExpiredDataSweeper } from '../../src/maintenance/sweeper.ts';
import type { RemovalOptions } from '../../src/maintenance/sweeper.ts';
import { insertAccessTokens } from '../../src/queries/accounts/access-tokens.ts';
import { addClient, START } from '../oauth/fixture.ts';
import type { TestClient } from '../oauth/fixture.ts';
import { until } from '../process/partner.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let client: TestClient;
beforeAll(async () => {
  database = await testDatabase();
  client = await addClient(database.db);
});
afterEach(async () => {
  await sql`drop function if exists disturb cascade`.execute(database.db);
  await database.db.deleteFrom('access_tokens').execute();
  await database.db.deleteFrom('signup_requests').execute();
});
afterAll(() => database.close());

const HOUR_MS = 3_600_000;
const LONG = { attempts: 1_000, messages: 1_000, items: 1_000, deleted: 1_000, priceRevisions: 1_000 };

/** A sweeper of batches of two rows, of whose time each look at the clock takes so much. */
function options(lookMs: number): RemovalOptions {
  let nowMs = 0;
  return {
    db: database.db,
    clock: () => new Date(START.getTime() + HOUR_MS),
    days: { ...LONG, tokens: 0, sessions: 0, signups: 0, requests: 1_000 },
    rateLimitWindowMs: 60_000,
    batch: 2,
    monotonicMs: () => (nowMs += lookMs),
  };
}

async function addExpiredTokens(count: number): Promise<void> {
  const { orgId, ownerId: userId, applicationId } = client;
  const token = () => ({
    tokenHash: sha256Digest(newAccessToken(orgId)),
    orgId,
    userId,
    applicationId,
    grantType: 'client-credentials' as const,
    scope: 'read' as const,
    createdAt: START,
    expiresAt: START,
  });
  await insertAccessTokens(database.db, Array.from({ length: count }, token));
}

/** A request that goes behind them. */
const addSignupRequest = () =>
  sql`
  insert into signup_requests (id, email, url, invite_token, created_at)
  values (gen_random_uuid(), 'old@example.com', 'https://a.example/', gen_random_uuid(), ${START})`.execute(
    database.db,
  );

const count = async (table: 'access_tokens' | 'signup_requests'): Promise<number> =>
  (await sql`select 1 from ${sql.table(table)}`.execute(database.db)).rows.length;

/** From now on a deletion of these does something else, or more. */
async function disturb(table: string, when: string, body: string): Promise<void> {
  await sql`create or replace function disturb() returns trigger language plpgsql as ${sql.lit(`begin ${body} end`)}`.execute(
    database.db,
  );
  await sql`create trigger disturb ${sql.raw(when)} on ${sql.table(table)} for each ${sql.raw(when.startsWith('after') ? 'row' : 'statement')} execute function disturb()`.execute(
    database.db,
  );
}

test('a removal that never comes to an end keeps those behind it waiting for its time alone', async () => {
  await addExpiredTokens(2);
  await addSignupRequest();
  await disturb('access_tokens', 'after delete', 'insert into access_tokens select old.*; return null;');
  let asked = 0;
  await removeExpiredData(options(1_000), () => (asked += 1) > 200);
  expect([await count('signup_requests'), await count('access_tokens')]).toEqual([0, 2]);
  expect(asked).toBeLessThan(100);
});

test('what a round has left is gone on with at once, also where something else could not be removed', async () => {
  await addExpiredTokens(9);
  await disturb('idempotency_keys', 'before delete', "raise 'It stays.';");
  const errors: unknown[] = [];
  // A batch takes all of its time.
  const sweeper = startExpiredDataSweeper({
    ...options(10_000),
    everyMs: HOUR_MS,
    onError: (error) => errors.push(error),
  });
  try {
    expect(
      await until(
        () => count('access_tokens'),
        (left) => left === 0,
      ),
    ).toBe(0);
  } finally {
    await sweeper.stop();
  }
  expect(errors.length).toBeGreaterThan(1);
  for (const error of errors) expect(error).toMatchObject({ message: 'It stays.' });
});

test.each([
  ['refuses one of them', 'P0001', ['access_tokens', 'idempotency_keys'], 0],
  ['ends one of them that takes too long', '57014', ['access_tokens'], 0],
  ['ends two of them in a row', '57014', ['access_tokens', 'idempotency_keys'], 1],
  ['is going away', '57P01', ['access_tokens'], 1],
])('when the database %s, so many of what comes behind stay', async (_name, code, tables, left) => {
  await addSignupRequest();
  for (const table of tables)
    await disturb(table, 'before delete', `raise exception using errcode = '${code}', message = 'refused';`);
  await expect(removeExpiredData(options(0), () => false)).rejects.toThrow('refused');
  expect(await count('signup_requests')).toBe(left);
});
