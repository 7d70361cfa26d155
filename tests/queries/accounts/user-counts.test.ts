import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeUserCount, grantUserCounts } from '../../../src/queries/accounts/user-counts.ts';
import { addOrganization } from '../../oauth/fixture.ts';
import { testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

test('grants of the first parts of a partner, some at once and some just behind, wait for each other in one order', async () => {
  const { db } = database;
  for (let round = 0; round < 10; round += 1) {
    const partnerId = await addOrganization(db);
    // As the first admin leaves it: one shard, and not the first one.
    await db.transaction().execute((tx) => changeUserCount(tx, partnerId, 40, 1));
    const grantThrice = async (shard: number): Promise<number[]> => {
      const used = [];
      for (let time = 0; time < 3; time += 1)
        used.push(
          await db.transaction().execute((tx) => grantUserCounts(tx, partnerId, { shard, more: 1 }, 1000)),
        );
      return used;
    };
    const all = await Promise.all(Array.from({ length: 6 }, (_, shard) => grantThrice(shard)));
    expect(all).toEqual(all.map(() => [1, 1, 1]));
  }
});

describe('a division of the quota', () => {
  const grant = (partnerId: string, shard: number, more: number, quota: number): Promise<number> =>
    database.db.transaction().execute((tx) => grantUserCounts(tx, partnerId, { shard, more }, quota));

  /** The shards by what each may still count. */
  const roomOf = async (partnerId: string): Promise<Map<number, number>> => {
    const rows = await database.db
      .selectFrom('user_counts')
      .select(['shard', sql<number>`granted - users`.as('room')])
      .where('org_id', '=', partnerId)
      .where('shard', '>=', 0)
      .orderBy('shard')
      .execute();
    return new Map(rows.map(({ shard, room }) => [shard, room]));
  };
  const sumOf = (room: ReadonlyMap<number, number>): number =>
    [...room.values()].reduce((sum, each) => sum + each, 0);

  test('is made once for those who have waited for it', async () => {
    const partnerId = await addOrganization(database.db);
    await grant(partnerId, 3, 100, 100_000);
    const room = await roomOf(partnerId);
    await grant(partnerId, 5, 100, 100_000);
    expect(await roomOf(partnerId)).toEqual(room);
    await grant(partnerId, 5, 100, 100_001);
    expect(sumOf(await roomOf(partnerId))).toBe(100_001);
  });

  test('leaves parts that have room for batches when little is left, and gives all of it', async () => {
    const partnerId = await addOrganization(database.db);
    await database.db.transaction().execute((tx) => changeUserCount(tx, partnerId, 40, 7));
    for (const [left, sharing] of [
      [64_000, 64],
      [2_000, 4],
      [999, 1],
      [3, 1],
    ] as const) {
      expect(await grant(partnerId, 62, 100, left + 7)).toBe(7);
      const room = await roomOf(partnerId);
      expect(sumOf(room)).toBe(left);
      expect([...room.values()].filter((each) => each > 0)).toHaveLength(sharing);
      expect(room.get(62)).toBeGreaterThanOrEqual(Math.min(100, left));
    }
  });
});
