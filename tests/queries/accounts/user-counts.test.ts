import { afterAll, beforeAll, expect, test } from 'vitest';
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
