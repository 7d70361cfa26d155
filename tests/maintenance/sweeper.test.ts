import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createSession } from '../../src/accounts/sessions.ts';
import { newAccessToken, sha256Digest } from '../../src/domain/security/credentials.ts';
import { startExpiredDataSweeper } from '../../src/maintenance/sweeper.ts';
import { insertAccessTokens } from '../../src/queries/accounts/access-tokens.ts';
import { insertSignupRequest } from '../../src/queries/accounts/signup-requests.ts';
import { openDatabase } from '../../src/queries/connection/database.ts';
import { addClient, START } from '../oauth/fixture.ts';
import type { TestClient } from '../oauth/fixture.ts';
import { until } from '../process/partner.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { recordStatements } from '../support/sent-statements.ts';
import { startService } from '../support/service.ts';
import type { ServiceProcess } from '../support/service.ts';

let database: TestDatabase;
let client: TestClient;
let sweeper: { stop(): Promise<void> } | undefined;
let service: ServiceProcess | undefined;
beforeAll(async () => {
  database = await testDatabase();
  client = await addClient(database.db);
});
afterEach(async () => {
  await sweeper?.stop();
  await service?.remove();
  for (const table of ['access_tokens', 'portal_sessions', 'signup_requests'] as const)
    await database.db.deleteFrom(table).execute();
});
afterAll(() => database.close());

const dayMs = 86_400_000;
const after = (ms: number): Date => new Date(START.getTime() + ms);

/** Nothing goes but what a test asks for. */
const LONG = {
  messages: 1_000,
  attempts: 1_000,
  items: 1_000,
  deleted: 1_000,
  priceRevisions: 1_000,
  tokens: 0,
  sessions: 0,
  signups: 1_000,
  requests: 1_000,
};

function sweep(now: Date, maxSignupRequests?: number): unknown[] {
  const errors: unknown[] = [];
  sweeper = startExpiredDataSweeper({
    db: database.db,
    clock: () => now,
    days: { ...LONG, messages: 30, attempts: 30, signups: 10 },
    rateLimitWindowMs: 60_000,
    onError: (error) => errors.push(error),
    batch: 2,
    ...(maxSignupRequests === undefined ? {} : { maxSignupRequests }),
  });
  return errors;
}

async function addToken(expiresAt: Date): Promise<void> {
  await insertAccessTokens(database.db, [
    {
      tokenHash: sha256Digest(newAccessToken(client.orgId)),
      orgId: client.orgId,
      userId: client.ownerId,
      applicationId: client.applicationId,
      grantType: 'client-credentials',
      scope: 'read',
      createdAt: START,
      expiresAt,
    },
  ]);
}

const ends = async (table: 'access_tokens' | 'portal_sessions'): Promise<Date[]> =>
  (await database.db.selectFrom(table).select('expires_at').orderBy('expires_at').execute()).map(
    (row) => row.expires_at,
  );

const requests = async (): Promise<string[]> =>
  (await database.db.selectFrom('signup_requests').select('email').orderBy('email').execute()).map(
    ({ email }) => email,
  );

async function addRequest(email: string, at: Date): Promise<void> {
  await insertSignupRequest(database.db, { email, url: 'https://a.example/', inviteToken: randomUUID() }, at);
}

test('the first round deletes expired tokens and sessions, and leaves the valid ones', async () => {
  for (const ms of [1, 2, 3, dayMs]) await addToken(after(ms));
  const person = { orgId: client.orgId, userId: client.ownerId };
  for (const ago of [30, 20, 0]) await createSession(database.db, person, after(-ago * dayMs));
  const [, , valid] = await ends('portal_sessions');
  const errors = sweep(after(4));
  await until(
    () => ends('access_tokens'),
    (left) => left.length === 1,
  );
  await until(
    () => ends('portal_sessions'),
    (left) => left.length === 1,
  );
  expect(await ends('access_tokens')).toEqual([after(dayMs)]);
  expect([await ends('portal_sessions'), errors]).toEqual([[valid], []]);
});

test('what cannot be removed is told, and keeps nothing else', async () => {
  const { db } = database;
  await addToken(START);
  await addRequest('old', START);
  await sql`create function refuse() returns trigger language plpgsql as 'begin raise ''It stays.''; end'`.execute(
    db,
  );
  await sql`create trigger refuse before delete on access_tokens for each row execute function refuse()`.execute(
    db,
  );
  try {
    const errors = sweep(after(11 * dayMs));
    await until(
      () => errors,
      (told) => told.length > 0,
    );
    expect(errors).toEqual([expect.objectContaining({ message: 'It stays.' })]);
    expect([await requests(), await ends('access_tokens')]).toEqual([[], [START]]);
  } finally {
    await sql`drop trigger refuse on access_tokens`.execute(db);
  }
});

test('sign-up requests go when they are old, in batches', async () => {
  for (let index = 0; index < 5; index += 1) await addRequest(`old-${index}`, after(index));
  await addRequest('young', after(dayMs));
  sweep(after(10 * dayMs + 5));
  await until(requests, (left) => left.length === 1);
  expect(await requests()).toEqual(['young']);
});

test('a round removes of every kind what was kept for its days', async () => {
  const days = {
    tokens: 1,
    sessions: 2,
    signups: 3,
    attempts: 4,
    messages: 5,
    items: 6,
    priceRevisions: 7,
    deleted: 8,
    requests: 9,
  };
  const statements = recordStatements();
  const opened = openDatabase({ connection: database.connection });
  const errors: unknown[] = [];
  try {
    sweeper = startExpiredDataSweeper({
      db: opened.db,
      clock: () => START,
      days,
      rateLimitWindowMs: 10 * dayMs,
      onError: (error) => errors.push(error),
    });
    const removals: unknown[] = [];
    await until(
      () => {
        for (const { text, values } of statements.take()) {
          const before = values.find((value) => value instanceof Date);
          const age = (START.getTime() - (before?.getTime() ?? 0)) / dayMs;
          // Users, webhooks, broadcasts and who has messages are looked for before anything is deleted.
          for (const [, table] of text.matchAll(
            /(?:delete from "?|delete_batch\('|list_organizations_with_old_(?=messages)|select \S+, \S+ from (?=users|webhooks|notification_items))([a-z_]+)\b/g,
          ))
            removals.push([table, age]);
        }
        return removals;
      },
      (all) => JSON.stringify(all).includes('rate_limits'),
    );
    expect(removals).toEqual([
      ['access_tokens', 1],
      ['idempotency_keys', 1],
      ['portal_sessions', 2],
      ['signup_requests', 3],
      ['delivery_attempts', 4],
      ['messages', 5],
      ['webhooks', 8],
      ['notification_items', 6],
      ['notification_items', 6],
      ['users', 8],
      ['day_ahead_prices', 7],
      ['fleet_requests', 0],
      ['shared_outages', 0],
      ['logged_requests', 9],
      ['unlogged_requests', 9],
      ['rate_limits', 10],
    ]);
    expect(errors).toEqual([]);
  } finally {
    await sweeper?.stop();
    statements.stop();
    await opened.close();
  }
});

test('of more sign-up requests than are kept the oldest go', async () => {
  for (let index = 0; index < 7; index += 1) await addRequest(`request-${index}`, after(index));
  sweep(after(10), 3);
  await until(requests, (left) => left.length === 3);
  expect(await requests()).toEqual(['request-4', 'request-5', 'request-6']);
});

test('a worker that starts sweeps at once', async () => {
  await addToken(START);
  const now = new Date();
  await addToken(new Date(now.getTime() + dayMs));
  const ENCRYPTION_KEY = randomBytes(32).toString('base64');
  const env = { DATABASE_URL: database.url, ENCRYPTION_KEY };
  service = await startService({ env, args: ['--role', 'worker'] });
  expect(
    await until(
      () => ends('access_tokens'),
      (left) => left.length === 1,
    ),
  ).not.toContainEqual(START);
});
