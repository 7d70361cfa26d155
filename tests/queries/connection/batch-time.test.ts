// A batch waits for its connection, and ends, in the time of each request that is in it.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Problem } from '../../../src/domain/api/problem.ts';
import { openDatabase } from '../../../src/queries/connection/database.ts';
import { DatabaseTimeoutError } from '../../../src/queries/connection/database-errors.ts';
import { FairShare } from '../../../src/shares/fair-share.ts';
import { testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';
import { endHeldWork, failureOf, heldWork, many, range, request, until } from './held-work.ts';

let at: TestDatabase;
beforeAll(async () => {
  at = await testDatabase();
});
afterEach(endHeldWork);
afterAll(() => at.close());

test('a request whose time is over leaves, and what it waited for is not done', async () => {
  const work = heldWork({ bounds: many });
  const first = request(() => work.call(at.db, 'a', 0));
  await until(work.items).toEqual([[0]]);
  const late = failureOf(request(() => work.call(at.db, 'a', 1), 20));
  const patient = request(() => work.call(at.db, 'a', 2));
  expect(await late).toBeInstanceOf(DatabaseTimeoutError);
  await work.endAll(2);
  expect(await Promise.all([first, patient])).toEqual(['0', '2']);
  expect(work.items()).toEqual([[0], [2]]);
});

test('nor is it when the batch still waits for its connection', async () => {
  const single = openDatabase({ connection: at.connection, max: 1 });
  const work = heldWork({ bounds: many });
  const held = await single.pool.connect();
  const late = failureOf(request(() => work.call(single.db, 'a', 1), 20));
  const patient = [2, 3].map((item) => request(() => work.call(single.db, 'a', item)));
  expect(await late).toBeInstanceOf(DatabaseTimeoutError);
  held.release();
  await work.endAll(1);
  expect(await Promise.all(patient)).toEqual(['2', '3']);
  expect(work.items()).toEqual([[2, 3]]);
  await single.close();
});

test('a request that has too little time left when its batch begins is refused, and its item is not done', async () => {
  const work = heldWork({ bounds: { ...many, leastMs: 10_000 } });
  const first = request(() => work.call(at.db, 'a', 0));
  await until(work.items).toEqual([[0]]);
  const late = failureOf(request(() => work.call(at.db, 'a', 1), 5_000));
  const patient = request(() => work.call(at.db, 'a', 2));
  work.begun[0]?.end();
  expect(await late).toBeInstanceOf(DatabaseTimeoutError);
  await until(work.items).toEqual([[0], [2]]);
  work.begun[1]?.end();
  expect(await Promise.all([first, patient])).toEqual(['0', '2']);
});

test('a batch has no more time than any of its calls', async () => {
  const share = new FairShare({ capacity: 4, maxWaiting: 100 });
  const shared = openDatabase({
    connection: at.connection,
    acquireShare: (partnerId, signal) => share.acquire(partnerId, signal),
  });
  const work = heldWork({ bounds: many, together: (db) => sql`select pg_sleep(20)`.execute(db) });
  const both = [60_000, 300].map((limitMs, item) =>
    failureOf(request(() => work.call(shared.db, 'a', item), limitMs)),
  );
  await work.endAll(1);
  const [patient, hasty] = await Promise.all(both);
  expect(hasty).toBeInstanceOf(DatabaseTimeoutError);
  expect(patient).toBeInstanceOf(DatabaseTimeoutError);
  expect(Number(/within (\d+) ms/.exec(String(patient))?.[1])).toBeLessThanOrEqual(300);
  await shared.close();
});

test('a batch that gets no connection fails for those who have waited for it, and who came meanwhile is the next', async () => {
  const asked: PromiseWithResolvers<() => void>[] = [];
  const shared = openDatabase({
    connection: at.connection,
    acquireShare: () => {
      const turn = Promise.withResolvers<() => void>();
      asked.push(turn);
      return turn.promise;
    },
  });
  const work = heldWork({ bounds: { ...many, items: 2 } });
  const early = range(0, 3).map((item) => failureOf(request(() => work.call(shared.db, 'a', item))));
  await until(() => asked.length).toBe(1);
  const behind = [3, 4].map((item) => request(() => work.call(shared.db, 'a', item)));
  const refused = new Problem('overloaded', 'There are too many.');
  asked[0]?.reject(refused);
  expect(await Promise.all(early)).toEqual([refused, refused, refused]);
  await until(() => asked.length).toBe(2);
  asked[1]?.resolve(() => undefined);
  await work.endAll(1);
  expect(await Promise.all(behind)).toEqual(['3', '4']);
  expect(work.items()).toEqual([[3, 4]]);
  await shared.close();
});

test('a request that leaves a batch under way takes nobody with it', async () => {
  const work = heldWork({ bounds: many, isLeftOver: (item) => item === 1 });
  const first = request(() => work.call(at.db, 'a', 0));
  await until(work.items).toEqual([[0]]);
  const late = failureOf(request(() => work.call(at.db, 'a', 1), 500));
  const patient = request(() => work.call(at.db, 'a', 2));
  work.begun[0]?.end();
  await until(work.items).toEqual([[0], [1, 2]]);
  expect(await late).toBeInstanceOf(DatabaseTimeoutError);
  work.begun[1]?.end();
  expect(await Promise.all([first, patient])).toEqual(['0', '2']);
  // What the batch has left over, and nobody waits for any more, would have begun before this.
  void request(() => work.call(at.db, 'a', 3));
  await until(work.items).toEqual([[0], [1, 2], [3]]);
});
