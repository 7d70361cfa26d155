// Nothing waits for the database without a limit.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { openDatabase } from '../../../src/queries/connection/database.ts';
import type { DatabaseOptions, OpenDatabase } from '../../../src/queries/connection/database.ts';
import {
  DatabaseTimeoutError,
  isDatabaseUnavailable,
} from '../../../src/queries/connection/database-errors.ts';
import {
  assignRequestToPartner,
  findRequestScope,
  RequestScope,
  runInRequestScope,
} from '../../../src/queries/connection/request-scope.ts';
import { FairShare } from '../../../src/shares/fair-share.ts';
import { testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';
import { startSwallowingProxy, throughProxy } from '../../support/swallowing-proxy.ts';
import type { SwallowingProxy } from '../../support/swallowing-proxy.ts';

let at: TestDatabase;
let proxy: SwallowingProxy;
const opened: OpenDatabase[] = [];
beforeAll(async () => {
  at = await testDatabase();
  proxy = await startSwallowingProxy(at.connection);
});
afterEach(async () => {
  proxy.pass();
  await Promise.all(opened.splice(0).map(({ close }) => close()));
});
afterAll(async () => {
  await proxy.close();
  await at.close();
});

function open(options: Partial<DatabaseOptions> = {}): OpenDatabase {
  const database = openDatabase({ connection: throughProxy(at.connection, proxy), ...options });
  opened.push(database);
  return database;
}

/** A pool as requests use it: two connections unless told otherwise. */
function openForRequests(max = 2, waitMs = 2_000): OpenDatabase {
  const share = new FairShare({ capacity: max, maxWaiting: 100, waitMs });
  return open({ max, acquireShare: (partnerId, signal) => share.acquire(partnerId, signal) });
}

/** A request that may wait `limitMs` for the database. */
const request = <Result>(limitMs: number, work: () => Promise<Result>, partnerId = 'a'): Promise<Result> =>
  runInRequestScope(
    () => false,
    () => {
      assignRequestToPartner(partnerId);
      return work();
    },
    limitMs,
  );

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

const ask = ({ db }: OpenDatabase) => sql<{ one: number }>`select 1 as one`.execute(db);

describe('a server that swallows bytes', () => {
  test('holds no request up, and its connections do not come back', async () => {
    const database = openForRequests();
    await request(5_000, () => Promise.all([ask(database), ask(database)]));
    proxy.swallow();
    const errors = await Promise.all(
      Array.from({ length: 6 }, () => failureOf(request(300, () => ask(database)))),
    );
    expect(
      errors.map((error) => [error instanceof DatabaseTimeoutError, isDatabaseUnavailable(error)]),
    ).toEqual(errors.map(() => [true, true]));
    expect(database.pool.idleCount).toBe(0);
    proxy.pass();
    expect((await request(5_000, () => ask(database))).rows).toEqual([{ one: 1 }]);
  });

  test('holds no connect up: another one is tried while there is time', async () => {
    const database = openForRequests();
    proxy.swallow();
    const asked = request(10_000, () => ask(database));
    const before = proxy.lost();
    await expect.poll(() => proxy.lost()).toBeGreaterThan(before);
    proxy.pass();
    await expect(asked).resolves.toMatchObject({ rows: [{ one: 1 }] });
  });

  test('holds no transaction up: what the server did not hear of did not happen', async () => {
    const database = openForRequests();
    await sql`create table written (n integer)`.execute(at.db);
    const error = await failureOf(
      request(500, () =>
        database.db.transaction().execute(async (tx) => {
          await sql`insert into written values (1)`.execute(tx);
          proxy.swallow();
          await sql`insert into written values (2)`.execute(tx);
        }),
      ),
    );
    expect(isDatabaseUnavailable(error)).toBe(true);
    proxy.pass();
    await request(5_000, () => sql`insert into written values (3)`.execute(database.db));
    expect((await sql`select n from written`.execute(at.db)).rows).toEqual([{ n: 3 }]);
  });

  test('holds no loop up', async () => {
    const database = open({ statementMs: 300 });
    await ask(database);
    proxy.swallow();
    expect(await failureOf(ask(database))).toBeInstanceOf(DatabaseTimeoutError);
    proxy.pass();
    await ask(database);
  });

  test('holds no stop up', async () => {
    const database = open();
    await Promise.all([ask(database), ask(database)]);
    proxy.swallow();
    await database.close();
    expect(database.pool.totalCount).toBe(0);
  });
});

describe('what a request may wait', () => {
  test('is one sum over connections and statements', async () => {
    const database = openForRequests();
    const started: number[] = [];
    const error = await failureOf(
      request(400, async () => {
        for (const n of [1, 2, 3, 4, 5]) {
          started.push(n);
          await sql`select pg_sleep(0.15)`.execute(database.db);
        }
      }),
    );
    expect(error).toBeInstanceOf(DatabaseTimeoutError);
    expect(started.length).toBeLessThan(5);
  });

  test('does not count what it does beside, and what it does at the same time only once', () => {
    const now = vi.spyOn(performance, 'now');
    const passMs = (ms: number): void => void now.mockReturnValue(performance.now() + ms);
    passMs(0);
    const scope = new RequestScope(() => false, 100);
    scope.beginWait();
    passMs(20);
    scope.beginWait();
    passMs(10);
    expect(scope.leftMs).toBe(70);
    scope.endWait();
    passMs(10);
    scope.endWait();
    passMs(1_000);
    expect(scope.leftMs).toBe(60);
    now.mockRestore();
  });

  test('is told as one error, that of the statement that took too long, also by the transaction around it', async () => {
    const database = openForRequests();
    const error = await failureOf(
      request(300, () => database.db.transaction().execute((tx) => sql`select pg_sleep(30)`.execute(tx))),
    );
    expect(error).toMatchObject({
      message: expect.stringMatching(/^The database did not answer within \d+ ms\.$/),
    });
    expect(database.pool.idleCount).toBe(0);
  });

  test('once used up sends nothing more, and what the request itself has found stays what it tells', async () => {
    const database = openForRequests();
    await sql`create table unsent (n integer)`.execute(at.db);
    const found = new Error('found by the request');
    const spendAll = async (tx: OpenDatabase['db']): Promise<void> => {
      const scope = findRequestScope();
      await sql`insert into unsent values (1)`.execute(tx);
      scope?.beginWait();
      await expect.poll(() => scope?.leftMs).toBeLessThanOrEqual(0);
      scope?.endWait();
    };
    const late = request(1_000, () =>
      database.db.transaction().execute(async (tx) => {
        await spendAll(tx);
        await sql`insert into unsent values (2)`.execute(tx);
      }),
    );
    expect(await failureOf(late)).toMatchObject({
      name: 'DatabaseTimeoutError',
      message: 'The request had no time left for the database.',
    });
    const refused = request(1_000, () =>
      database.db.transaction().execute(async (tx) => {
        await spendAll(tx);
        throw found;
      }),
    );
    expect(await failureOf(refused)).toBe(found);
    expect(database.pool.idleCount).toBe(0);
    expect((await sql`select n from unsent`.execute(at.db)).rows).toEqual([]);
  });

  test('is the whole for each statement of an answer that has begun', async () => {
    const database = openForRequests();
    await runInRequestScope(
      () => true,
      async () => {
        for (let n = 0; n < 4; n += 1) await sql`select pg_sleep(0.1)`.execute(database.db);
      },
      300,
    );
  });

  test('a statement that the server can still end leaves its connection whole', async () => {
    const database = open({ statementMs: 400 });
    const pid = async () =>
      (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.db)).rows;
    const before = await pid();
    expect(await failureOf(sql`select pg_sleep(30)`.execute(database.db))).toMatchObject({ code: '57014' });
    expect(await pid()).toEqual(before);
  });
});

describe('the server', () => {
  test('is told what we do not wait for', async () => {
    const database = open({ statementMs: 10_000 });
    const { rows } = await sql<{ name: string; setting: string }>`select name, setting from pg_settings
      where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout',
        'client_connection_check_interval', 'tcp_keepalives_idle', 'tcp_user_timeout')
      order by name`.execute(database.db);
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toMatchObject({
      client_connection_check_interval: '1000',
      idle_in_transaction_session_timeout: '15000',
      lock_timeout: '2000',
      statement_timeout: '9000',
    });
  });

  test('ends the wait for a lock', async () => {
    const database = openForRequests();
    await sql`create table locked (n integer)`.execute(at.db);
    await at.db.transaction().execute(async (tx) => {
      await sql`lock table locked`.execute(tx);
      const error = await failureOf(request(4_500, () => sql`select * from locked`.execute(database.db)));
      expect(error).toMatchObject({ code: '55P03' });
      expect(isDatabaseUnavailable(error)).toBe(true);
    });
  });

  test('that refuses writes since a failover is left for another one', async () => {
    const database = openForRequests(1);
    const pid = async () =>
      (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.db)).rows;
    await sql`create table kept (n integer)`.execute(at.db);
    const before = await pid();
    await sql`set default_transaction_read_only = on`.execute(database.db);
    const error = await failureOf(sql`insert into kept values (1)`.execute(database.db));
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(await pid()).not.toEqual(before);
    await sql`insert into kept values (1)`.execute(database.db);
  });
});

describe('shares of the connections', () => {
  test('a partner that holds all it can leaves one to the others', async () => {
    const database = openForRequests(4, 300);
    const held = Promise.withResolvers<undefined>();
    const begun: unknown[] = [];
    const greedy = Array.from({ length: 6 }, () =>
      failureOf(
        request(5_000, () =>
          database.db.connection().execute(async () => {
            begun.push(1);
            await held.promise;
          }),
        ),
      ),
    );
    await expect.poll(() => begun.length).toBe(3);
    expect((await request(5_000, () => ask(database), 'b')).rows).toEqual([{ one: 1 }]);
    const refused = (await Promise.all(greedy.slice(3))) as { code: string }[];
    expect(refused.map(({ code }) => code)).toEqual(['overloaded', 'overloaded', 'overloaded']);
    held.resolve(undefined);
    expect(await Promise.all(greedy.slice(0, 3))).toEqual([undefined, undefined, undefined]);
    expect((await request(5_000, () => ask(database))).rows).toEqual([{ one: 1 }]);
  });
});
