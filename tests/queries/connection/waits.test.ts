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
  const settings = vi.spyOn(pg.Client.prototype, 'query').mockImplementationOnce(function (
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
  expect((await asked).rows).toEqual([{ one: 1 }]);
  settings.mockRestore();
});
