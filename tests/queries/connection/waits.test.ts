// How long a request waits for its turn, for a new connection, and in all.
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
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
/** What a test that fails has left under way would keep its connections. */
const undo: (() => void)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0)) each();
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

/** A request of the partner that has a connection; resolves once it has it, to what gives that back. */
async function holdConnection(partnerId?: string): Promise<() => Promise<unknown>> {
  const [begun, held] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  undo.push(() => held.resolve(undefined));
  const work = () =>
    database.db.connection().execute(() => {
      begun.resolve(undefined);
      return held.promise;
    });
  const holding = request(work, undefined, partnerId);
  await Promise.race([begun.promise, holding]);
  return () => (held.resolve(undefined), holding);
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
  const endFirst = await holdConnection();
  expect(await failureOf(request(ask, 100))).toBeInstanceOf(DatabaseTimeoutError);
  await endFirst();
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

test('a connection that was refused says goodbye, and nobody waits for the answer without a limit', async () => {
  open(1, 2_000);
  vi.spyOn(pg.Client.prototype, 'query').mockImplementationOnce(() => {
    proxy.swallow();
    return Promise.reject(new Error('It is a standby.')) as never;
  });
  await expect(request(ask, 10_000)).rejects.toThrow('It is a standby.');
});

describe('a request that waits while a connection is opened', () => {
  const askOfOther = () => request(ask, 1_400, 'b');

  /** One connection is in use, and the other one is not ready before `ready` is resolved. */
  async function beginOpening<Result>(max: number, begin: () => Promise<Result>) {
    open(max, 2_000);
    const [first, ready] = [await database.pool.connect(), Promise.withResolvers<undefined>()];
    first.release();
    undo.push(() => ready.resolve(undefined));
    const endFirst = await holdConnection();
    const query = Reflect.get(pg.Client.prototype, 'query') as (...parameters: unknown[]) => unknown;
    const opening = vi.spyOn(pg.Client.prototype, 'query').mockImplementationOnce(function (
      this: pg.Client,
      ...parameters: unknown[]
    ) {
      return ready.promise.then(() => Reflect.apply(query, this, parameters)) as never;
    });
    const asked = begin();
    await expect.poll(() => opening.mock.calls.length).toBe(1);
    return { first, opening, ready, asked, endFirst };
  }

  test('has the one that is given back, and the new one is there for the next', async () => {
    const { ready, asked, endFirst } = await beginOpening(2, askOfOther);
    await endFirst();
    await expect(asked).resolves.toMatchObject({ rows: [{ one: 1 }] });
    expect([database.pool.totalCount, database.pool.idleCount]).toEqual([2, 1]);
    ready.resolve(undefined);
    await expect.poll(() => database.pool.idleCount).toBe(2);
    for (let asks = 0; asks < 3; asks += 1)
      expect(await Promise.all(['a', 'b'].map((partnerId) => request(ask, 1_400, partnerId)))).toHaveLength(
        2,
      );
    expect(database.pool.totalCount).toBe(2);
  });

  test('has the one that was opened for another', async () => {
    const late = Promise.withResolvers<undefined>();
    undo.push(() => late.resolve(undefined));
    const { opening, ready, asked, endFirst } = await beginOpening(3, () => holdConnection('b'));
    opening.mockImplementationOnce(
      () => late.promise.then(() => Promise.reject(new Error('Late.'))) as never,
    );
    const later = holdConnection('c');
    await expect.poll(() => opening.mock.calls.length).toBe(2);
    await endFirst();
    await asked;
    // What goes to the pool is free for whoever comes next, and nobody who waits looks there.
    const isFree = new Promise((resolve) => database.pool.once('release', () => resolve('free')));
    ready.resolve(undefined);
    expect(await Promise.race([later.then(() => 'taken'), isFree])).toBe('taken');
  });

  test('is refused alone when its connection cannot be asked for, and nobody waits in its place', async () => {
    open(1, 2_000);
    vi.spyOn(database.pool, 'connect').mockImplementationOnce(() => {
      throw new Error('No file of certificates.');
    });
    expect(await failureOf(request(ask))).toMatchObject({ message: 'No file of certificates.' });
    for (let asks = 0; asks < 3; asks += 1) await request(ask);
    expect([database.pool.totalCount, database.pool.idleCount]).toEqual([1, 1]);
  });

  test('does not have one that is broken', async () => {
    const { first, ready, asked, endFirst } = await beginOpening(2, askOfOther);
    const ended = new Promise<void>((resolve) => first.once('end', () => resolve()));
    await sql`select pg_terminate_backend(${Reflect.get(first, 'processID')}::integer)`.execute(at.db);
    await ended;
    await endFirst();
    ready.resolve(undefined);
    await expect(asked).resolves.toMatchObject({ rows: [{ one: 1 }] });
    expect(database.pool.totalCount).toBe(1);
  });
});

test('an idle connection is kept for ten minutes', async () => {
  open(1, 2_000);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    await ask();
    vi.advanceTimersByTime(599_999);
    expect(database.pool.totalCount).toBe(1);
    vi.advanceTimersByTime(1);
    expect(database.pool.totalCount).toBe(0);
  } finally {
    vi.useRealTimers();
  }
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
  // The connection is there: none of the request's time goes into its opening.
  await ask();
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
