// How long a request waits for its turn, for a new connection, and in all.
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { DatabaseTimeoutError } from '../../../src/queries/connection/database-errors.ts';
import { openDatabase } from '../../../src/queries/connection/database.ts';
import type { OpenDatabase } from '../../../src/queries/connection/database.ts';
import { findRequestScope, runInRequestScope } from '../../../src/queries/connection/request-scope.ts';
import { FairShare } from '../../../src/shares/fair-share.ts';
import { testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';
import { startSwallowingProxy, throughProxy } from '../../support/swallowing-proxy.ts';
import type { SwallowingProxy } from '../../support/swallowing-proxy.ts';
import { failureOf, request } from './held-work.ts';

let at: TestDatabase;
let proxy: SwallowingProxy;
let database: OpenDatabase;
beforeAll(async () => {
  at = await testDatabase();
  proxy = await startSwallowingProxy(at.connection);
});
afterEach(async () => {
  vi.restoreAllMocks();
  proxy.pass();
  await database.close();
});
afterAll(async () => {
  await proxy.close();
  await at.close();
});

/** A pool of so many connections, in which a turn may be waited for as long. */
function open(max: number, waitMs: number): void {
  const share = new FairShare({ capacity: max, maxWaiting: 100, waitMs });
  database = openDatabase({
    connection: throughProxy(at.connection, proxy),
    max,
    acquireShare: (partnerId, signal) => share.acquire(partnerId, signal),
  });
}

const ask = () => sql<{ one: number }>`select 1 as one`.execute(database.db);

test('a request waits for 4.5 s in all', () => {
  open(1, 2_000);
  const leftMs = runInRequestScope(
    () => false,
    () => findRequestScope()?.leftMs,
  );
  expect(leftMs).toBe(4_500);
});

test('a turn is waited for no longer than the request may wait', async () => {
  open(1, 3_600_000);
  const [begun, held] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const holding = request(() =>
    database.db.connection().execute(() => {
      begun.resolve(undefined);
      return held.promise;
    }),
  );
  await begun.promise;
  expect(await failureOf(request(ask, 100))).toBeInstanceOf(DatabaseTimeoutError);
  held.resolve(undefined);
  await holding;
});

test('a new connection whose settings are not answered is given up, and another one is tried', async () => {
  open(2, 2_000);
  const query = Reflect.get(pg.Client.prototype, 'query') as (...parameters: unknown[]) => unknown;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementationOnce(function (
    this: pg.Client,
    ...parameters: unknown[]
  ) {
    proxy.swallow();
    return Reflect.apply(query, this, parameters) as never;
  });
  const before = proxy.lost();
  const asked = request(ask, 10_000);
  await expect.poll(() => proxy.lost()).toBeGreaterThan(before);
  proxy.pass();
  await expect(asked).resolves.toMatchObject({ rows: [{ one: 1 }] });
});

test('a statement that goes on at the server keeps its turn until the server has noticed', async () => {
  const share = new FairShare({ capacity: 2, maxWaiting: 1 });
  database = openDatabase({
    connection: throughProxy(at.connection, proxy),
    acquireShare: (partnerId, signal) => share.acquire(partnerId, signal),
  });
  await sql`create table taken (n integer)`.execute(at.db);
  // The connection is there: all the time of the request is for its statement.
  await ask();
  await at.db.transaction().execute(async (tx) => {
    await sql`lock table taken`.execute(tx);
    const asked = request(() => sql`select * from taken`.execute(database.db), 200);
    expect(await failureOf(asked)).toBeInstanceOf(DatabaseTimeoutError);
    expect(share.usage.held).toBe(1);
    await expect.poll(() => share.usage.held, { timeout: 5_000 }).toBe(0);
  });
});

test('between two statements of a transaction nothing goes on, so that its turn ends at once', async () => {
  const share = new FairShare({ capacity: 2, maxWaiting: 1 });
  database = openDatabase({
    connection: throughProxy(at.connection, proxy),
    acquireShare: (partnerId, signal) => share.acquire(partnerId, signal),
  });
  const late = request(
    () =>
      database.db.transaction().execute(async (tx) => {
        const scope = findRequestScope();
        await sql`select 1`.execute(tx);
        scope?.beginWait();
        await expect.poll(() => scope?.leftMs).toBeLessThanOrEqual(0);
        scope?.endWait();
        await sql`select 1`.execute(tx);
      }),
    200,
  );
  expect(await failureOf(late)).toBeInstanceOf(DatabaseTimeoutError);
  expect(share.usage.held).toBe(0);
  // The end of a connection whose error nobody has heard of yet is no failure of the stop.
  await database.close();
});
