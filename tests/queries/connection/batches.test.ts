// Calls that come at once are done together, each with its own end; nobody waits without a limit.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Problem } from '../../../src/domain/api/problem.ts';
import { openDatabase } from '../../../src/queries/connection/database.ts';
import { runInRequestScope } from '../../../src/queries/connection/request-scope.ts';
import type { Db } from '../../../src/queries/connection/database.ts';
import { FairShare } from '../../../src/shares/fair-share.ts';
import { testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';
import { endHeldWork, failureOf, heldWork, many, range, request, until } from './held-work.ts';
import type { Rules } from './held-work.ts';

let at: TestDatabase;
beforeAll(async () => {
  at = await testDatabase();
});
afterEach(endHeldWork);
afterAll(() => at.close());

describe('what comes at once', () => {
  test('goes at once when nothing is under way, and is the next batch when something is', async () => {
    const work = heldWork({ bounds: many });
    const results = [work.call(at.db, 'a', 0)];
    await until(work.items).toEqual([[0]]);
    results.push(...range(1, 50).map((item) => work.call(at.db, 'a', item)));
    work.begun[0]?.end();
    await until(work.items).toEqual([[0], range(1, 50)]);
    work.begun[1]?.end();
    expect(await Promise.all(results)).toEqual(range(0, 50).map(String));
  });

  test('is in batches of one key, and no key waits for another', async () => {
    const work = heldWork({ bounds: many });
    const results = [work.call(at.db, 'a', 0)];
    await until(work.items).toEqual([[0]]);
    results.push(...[1, 2].map((item) => work.call(at.db, 'a', item)));
    const other = [work.call(at.db, 'b', 10)];
    await until(work.items).toEqual([[0], [10]]);
    other.push(...[11, 12].map((item) => work.call(at.db, 'b', item)));
    work.begun[1]?.end();
    await until(work.items).toEqual([[0], [10], [11, 12]]);
    work.begun[2]?.end();
    expect(await Promise.all(other)).toEqual(['10', '11', '12']);
    await work.endAll(4);
    expect(await Promise.all(results)).toEqual(['0', '1', '2']);
  });
});

describe('who names the same key', () => {
  test('is in a batch with callers of the same partner, or of the same address, and waits in no other turn', async () => {
    const turns: string[] = [];
    const { db, close } = openDatabase({
      connection: at.connection,
      acquireShare: (partnerId, _signal, address) => {
        turns.push(address ?? partnerId);
        return Promise.resolve(() => undefined);
      },
    });
    try {
      const work = heldWork({ bounds: many });
      const stranger = (address: string, item: number) =>
        runInRequestScope(
          () => false,
          () => work.call(db, 'a', item),
          60_000,
          () => address,
        );
      const results = [
        stranger('192.0.2.1', 0),
        stranger('192.0.2.1', 1),
        stranger('192.0.2.2', 2),
        request(() => work.call(db, 'a', 3), 60_000, 'own'),
      ];
      await until(() => work.items().toSorted()).toEqual([[0, 1], [2], [3]]);
      expect(turns.toSorted()).toEqual(['192.0.2.1', '192.0.2.2', 'own']);
      await work.endAll(3);
      expect(await Promise.all(results)).toEqual(range(0, 4).map(String));
    } finally {
      await close();
    }
  });
});

describe('bounds:', () => {
  test('a batch has so many items, in the order of their calls', async () => {
    const work = heldWork({ bounds: { ...many, items: 3 } });
    const results = [work.call(at.db, 'a', 0)];
    await until(work.items).toEqual([[0]]);
    results.push(...range(1, 8).map((item) => work.call(at.db, 'a', item)));
    await work.endAll(4);
    expect(await Promise.all(results)).toEqual(range(0, 8).map(String));
    expect(work.items()).toEqual([[0], [1, 2, 3], [4, 5, 6], [7]]);
  });

  test('so many batches of a key are under way', async () => {
    const work = heldWork({ bounds: { ...many, items: 1, underWay: 2 } });
    const results = range(0, 5).map((item) => work.call(at.db, 'a', item));
    await until(work.items).toEqual([[0], [1]]);
    // A third one would have begun before this.
    results.push(work.call(at.db, 'b', 5));
    await until(work.items).toEqual([[0], [1], [5]]);
    await work.endAll(6);
    expect(await Promise.all(results)).toEqual(range(0, 6).map(String));
  });

  test('so many calls of a key wait; the next one is told when to come again, and other keys go on', async () => {
    const work = heldWork({ bounds: { ...many, waiting: 2 } });
    const results = [work.call(at.db, 'a', 0)];
    await until(work.items).toEqual([[0]]);
    results.push(...[1, 2].map((item) => work.call(at.db, 'a', item)));
    const refused = await failureOf(work.call(at.db, 'a', 3));
    expect(refused).toBeInstanceOf(Problem);
    expect(refused).toMatchObject({ code: 'overloaded', headers: { 'Retry-After': '2' } });
    results.push(work.call(at.db, 'b', 4));
    await work.endAll(3);
    expect(await Promise.all(results)).toEqual(['0', '1', '2', '4']);
    expect(work.items().flat()).not.toContain(3);
  });
});

describe('errors:', () => {
  /** How two calls end that were one batch, behind one that is under way. */
  async function endsOf(rules: Rules, begun: number): Promise<{ ends: unknown[]; items: unknown }> {
    const work = heldWork({ bounds: many, ...rules });
    const first = work.call(at.db, 'a', 0);
    await until(work.items).toEqual([[0]]);
    const both = [1, 2].map((item) => work.call(at.db, 'a', item).catch((error: unknown) => error));
    await work.endAll(begun);
    await first;
    return { ends: await Promise.all(both), items: work.items() };
  }

  test('what a batch leaves over is done alone, for its own error', async () => {
    const taken = new Error('taken');
    const { ends, items } = await endsOf(
      {
        isLeftOver: (item) => item === 1,
        alone: (_db, item) => (item === 1 ? Promise.reject(taken) : Promise.resolve()),
      },
      3,
    );
    expect(ends).toEqual([taken, '2']);
    expect(items).toEqual([[0], [1, 2], [1]]);
  });

  test.each([
    ['a value that cannot be stored', sql`select 1 / 0`, '22012'],
    ['a mistake of ours', sql`select nothing`, '42703'],
    ['a lock', sql`do $$ begin raise exception using errcode = '55P03'; end $$`, '55P03'],
    ['a deadlock', sql`do $$ begin raise exception using errcode = '40P01'; end $$`, '40P01'],
  ])('%s fails its own item alone', async (_name, statement, code) => {
    const fail = (db: Db) => statement.execute(db);
    const { ends, items } = await endsOf(
      { together: fail, alone: (db, item) => (item === 1 ? fail(db) : Promise.resolve()) },
      4,
    );
    expect(ends).toEqual([expect.objectContaining({ code }), '2']);
    expect(items).toEqual([[0], [1, 2], [1], [2]]);
  });

  test('a database that fails, and a refusal, are the answer to all', async () => {
    const noSpace = sql`do $$ begin raise exception using errcode = '53100'; end $$`;
    const full = await endsOf({ together: (db) => noSpace.execute(db) }, 2);
    expect(full.ends).toEqual([1, 2].map(() => expect.objectContaining({ code: '53100' })));
    expect(full.items).toEqual([[0], [1, 2]]);
    const problem = new Problem('quota_reached', 'There are enough.');
    const refused = await endsOf({ together: () => Promise.reject(problem) }, 2);
    expect(refused.ends).toEqual([problem, problem]);
  });

  test('what is left over does not hold up the next batch, nor one another', async () => {
    const work = heldWork({ bounds: many, isLeftOver: (item) => item < 3 });
    const results = [work.call(at.db, 'a', 0)];
    await until(work.items).toEqual([[0]]);
    results.push(...[1, 2].map((item) => work.call(at.db, 'a', item)));
    work.begun[0]?.end();
    await until(work.items).toEqual([[0], [1, 2]]);
    results.push(...[3, 4].map((item) => work.call(at.db, 'a', item)));
    work.begun[1]?.end();
    await until(() => work.items().slice(2).toSorted()).toEqual([[1], [2], [3, 4]]);
    await work.endAll(5);
    expect(await Promise.all(results)).toEqual(['0', '1', '2', '3', '4']);
  });
});

test('a batch takes one connection of the share of its partner, and what is left over one for its own request', async () => {
  const share = new FairShare({ capacity: 4, maxWaiting: 100 });
  const taken: string[] = [];
  const database = openDatabase({
    connection: at.connection,
    max: 4,
    acquireShare: (partnerId, signal) => {
      taken.push(partnerId);
      return share.acquire(partnerId, signal);
    },
  });
  const ask = (db: Db) => sql`select 1`.execute(db);
  const work = heldWork({ bounds: many, together: ask, alone: ask, isLeftOver: (item) => item === 7 });
  const results = [request(() => work.call(database.db, 'key', 0))];
  await until(work.items).toEqual([[0]]);
  results.push(...range(1, 50).map((item) => request(() => work.call(database.db, 'key', item))));
  await work.endAll(3);
  expect(await Promise.all(results)).toEqual(range(0, 50).map(String));
  expect(work.begun.map(({ items, partnerId }) => [items.length, partnerId])).toEqual([
    [1, 'a'],
    [49, 'a'],
    [1, 'a'],
  ]);
  expect(taken).toEqual(['a', 'a', 'a']);
  expect(share.usage).toMatchObject({ held: 0, waiting: 0 });
  await database.close();
});
