// The short form of `make faults ARGS=database`: what a request gets, and what is left when the fault is over.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/queries/connection/database.ts';
import type { OpenDatabase } from '../../src/queries/connection/database.ts';
import { sha256Digest } from '../../src/domain/security/credentials.ts';
import { TokenMemory } from '../../src/oauth/token-memory.ts';
import { DatabaseTimeoutError } from '../../src/queries/connection/database-errors.ts';
import { createDatabaseProbe } from '../../src/queries/connection/probe.ts';
import { openReconnectingSession } from '../../src/queries/connection/session.ts';
import { FairShare } from '../../src/shares/fair-share.ts';
import type { Answer } from '../support/api-client.ts';
import { startApi } from '../support/api.ts';
import { countStatements } from '../support/statement-count.ts';
import type { Api } from '../support/api.ts';
import { startSwallowingProxy, throughProxy } from '../support/swallowing-proxy.ts';
import type { SwallowingProxy } from '../support/swallowing-proxy.ts';

let api: Api;
let proxy: SwallowingProxy;
let requests: OpenDatabase;
let proxied: pg.ClientConfig;

/** On a busy machine a request that is to succeed has time. */
const AMPLE_MS = 20_000;
const SHORT_MS = 500;

const wait = { ms: AMPLE_MS };
beforeAll(async () => {
  api = await startApi({
    requestPool: {
      get waitMs() {
        return wait.ms;
      },
      open: async (connection) => {
        proxy = await startSwallowingProxy(connection);
        const share = new FairShare({ capacity: 4, maxWaiting: 100, waitMs: AMPLE_MS });
        proxied = throughProxy(connection, proxy);
        requests = openDatabase({
          connection: proxied,
          max: 4,
          acquireShare: (partnerId, signal) => share.acquire(partnerId, signal),
        });
        return requests;
      },
    },
  });
});
afterEach(() => {
  proxy.pass();
  wait.ms = AMPLE_MS;
});
afterAll(async () => {
  await api.close();
  await proxy.close();
});

const create = (email: string): Promise<Answer> => api.call('createUser', { body: { email, role: 'user' } });
const list = (): Promise<Answer> => api.call('listUsers', { query: { limit: 1 } });
const emails = (): string[] => Array.from({ length: 6 }, () => `${randomUUID()}@example.com`);

const unavailable = {
  status: 503,
  headers: expect.objectContaining({ 'retry-after': expect.stringMatching(/^\d+$/) }),
  body: expect.objectContaining({ code: 'database_unavailable' }),
};

test.each(['everything', 'answers'] as const)(
  'a server that swallows %s: each request is 503 in its time, and nothing that was answered is lost',
  async (what) => {
    const before = emails();
    // One after the other: several connections opened at once take a busy machine longer than one of them may take.
    for (const email of before) expect((await create(email)).status).toBe(201);
    wait.ms = SHORT_MS;
    proxy.swallow(what);
    const during = [...emails().map(create), list(), list()];
    expect(await Promise.all(during)).toMatchObject(during.map(() => unavailable));
    proxy.pass();
    wait.ms = AMPLE_MS;
    expect((await create(`${randomUUID()}@example.com`)).status).toBe(201);
    expect((await list()).status).toBe(200);
    const { rows } = await sql<{
      email: string;
    }>`select email from users where email = any(${before})`.execute(api.db);
    expect(rows).toHaveLength(before.length);
  },
);

test.each(['53100', '53200', '53300', '25006', '55P03', '57014', '57P03', '40001'])(
  'a write that meets SQLSTATE %s is 503 and not written',
  async (sqlstate) => {
    await sql`create or replace function refuse() returns trigger language plpgsql as
      ${sql.raw(`$$ begin raise exception using errcode = '${sqlstate}', message = 'refused'; end $$`)}`.execute(
      api.db,
    );
    await sql`create trigger refuse before insert on users for each row execute function refuse()`.execute(
      api.db,
    );
    const email = `${randomUUID()}@example.com`;
    expect(await create(email)).toMatchObject(unavailable);
    await sql`drop trigger refuse on users`.execute(api.db);
    expect((await create(email)).status).toBe(201);
  },
);

test('a lock that another transaction holds is waited for no longer than the request may wait', async () => {
  await api.db.transaction().execute(async (tx) => {
    await sql`lock table users in exclusive mode`.execute(tx);
    wait.ms = SHORT_MS;
    expect(await create(`${randomUUID()}@example.com`)).toMatchObject(unavailable);
  });
  wait.ms = AMPLE_MS;
  expect((await create(`${randomUUID()}@example.com`)).status).toBe(201);
});

test('probes of readiness share one question, and a connection that does not answer is dropped', async () => {
  let nowMs = 0;
  const probe = createDatabaseProbe(requests.db, () => nowMs);
  expect(await probe()).toBeUndefined();
  proxy.swallow();
  expect(await probe()).toBeUndefined();
  nowMs = 250;
  const { started } = countStatements(requests.pool);
  const answers = Array.from({ length: 50 }, () => probe());
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['the database does not answer']));
  expect(started()).toBe(1);
  proxy.pass();
  nowMs = 500;
  expect(await probe()).toBeUndefined();
});

test('a session that does not answer is cut off and opened again', async () => {
  const prepared: string[] = [];
  const session = await openReconnectingSession(
    requests.config,
    (client) => {
      prepared.push('again');
      return client.query('select 1');
    },
    () => {},
    SHORT_MS,
  );
  proxy.swallow();
  await expect.poll(() => session.client()).toBeUndefined();
  proxy.pass();
  await expect.poll(() => session.client()).toBeDefined();
  expect(prepared.length).toBeGreaterThan(1);
  await session.end();
});

test('the tokens of open streams are asked about in a time of their own, and again when the fault is over', async () => {
  const checks = openDatabase({ connection: proxied, statementMs: 10 * AMPLE_MS });
  const limit = { readTogetherMs: AMPLE_MS };
  const memory = new TokenMemory({
    db: api.db,
    checks: checks.db,
    clock: api.clock.now,
    monotonicMs: () => performance.now(),
    get readTogetherMs() {
      return limit.readTogetherMs;
    },
  });
  const digest = sha256Digest(api.own.admin.token).toString('hex');
  const owner = { orgId: api.own.orgId, tokenDigest: digest };
  const find = async (): Promise<unknown> => (await memory.readTogether([owner])).get(digest)?.userId;
  try {
    expect(await find()).toBe(api.own.admin.id);
    limit.readTogetherMs = SHORT_MS;
    proxy.swallow();
    await expect(find()).rejects.toThrow(DatabaseTimeoutError);
    proxy.pass();
    limit.readTogetherMs = AMPLE_MS;
    expect(await find()).toBe(api.own.admin.id);
  } finally {
    await checks.close();
  }
});
