// Where new users are counted, and in which order they are inserted, while others hold what they need.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toNewUserFields } from '../../../src/domain/users/users.ts';
import { insertUsers } from '../../../src/queries/accounts/new-users.ts';
import type { NewUser, UserCountClaim } from '../../../src/queries/accounts/new-users.ts';
import { grantUserCounts } from '../../../src/queries/accounts/user-counts.ts';
import type { Tx } from '../../../src/queries/connection/database.ts';
import { addOrganization } from '../../oauth/fixture.ts';
import { testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';
import { lockWaits } from '../../support/lock-waits.ts';

const QUOTA = 100_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const newUser = (email = `${randomUUID()}@example.com`): NewUser => ({
  ...toNewUserFields({ email, role: 'user' }),
  id: randomUUID(),
  now: new Date('2026-06-15T12:00:00Z'),
});

/** A partner whose shards have their parts of the quota. */
async function addPartner(): Promise<string> {
  const partnerId = await addOrganization(database.db);
  await database.db
    .transaction()
    .execute((tx) => grantUserCounts(tx, partnerId, { shard: 0, more: 1 }, QUOTA));
  return partnerId;
}

/** Whether each was stored; undefined when no shard was had. */
async function insert(
  partnerId: string,
  emails: readonly (string | undefined)[],
  claim: Pick<UserCountClaim, 'shard' | 'whenLocked'>,
): Promise<boolean[] | undefined> {
  const counted = { orgId: partnerId, partnerId, quota: { fallback: QUOTA }, ...claim };
  const users = await insertUsers(
    database.db,
    emails.map((email) => newUser(email)),
    counted,
    'leave_out',
  );
  return users?.map((user) => user !== undefined);
}

const lockShards = (tx: Tx, partnerId: string, from: number, to: number) =>
  sql`select from user_counts where org_id = ${partnerId} and shard between ${from} and ${to} for update`.execute(
    tx,
  );

const countIn = async (partnerId: string): Promise<[number, number][]> => {
  const rows = await database.db
    .selectFrom('user_counts')
    .select(['shard', 'users'])
    .where('org_id', '=', partnerId)
    .where('users', '<>', 0)
    .orderBy('shard')
    .execute();
  return rows.map(({ shard, users }) => [shard, users]);
};

/** Waits until so many statements of this database wait for a lock. */
const untilWaiting = (count: number) =>
  expect
    .poll(
      async () => {
        const { rows } = await sql`select from ${sql.raw(lockWaits())}`.execute(database.db);
        return rows.length;
      },
      { interval: 5 },
    )
    .toBe(count);

test('shards that are locked are passed over, beyond the last one too', async () => {
  const partnerId = await addPartner();
  await database.db.transaction().execute(async (tx) => {
    await lockShards(tx, partnerId, 60, 63);
    await lockShards(tx, partnerId, 0, 4);
    expect(await insert(partnerId, [undefined, undefined], { shard: 61, whenLocked: 'skip' })).toEqual([
      true,
      true,
    ]);
  });
  expect(await countIn(partnerId)).toEqual([[5, 2]]);
});

test('when all are locked, the first one that has room is waited for, and no other', async () => {
  const partnerId = await addPartner();
  await sql`update user_counts set granted = 0 where org_id = ${partnerId} and shard > 10`.execute(
    database.db,
  );
  const waiting = await database.db.transaction().execute(async (tx) => {
    await lockShards(tx, partnerId, 0, 63);
    expect(await insert(partnerId, [undefined], { shard: 61, whenLocked: 'skip' })).toBeUndefined();
    const waits = [61, 61, 7].map((shard) => insert(partnerId, [undefined], { shard, whenLocked: 'wait' }));
    await untilWaiting(3);
    return { waits };
  });
  expect(await Promise.all(waiting.waits)).toEqual([[true], [true], [true]]);
  expect(await countIn(partnerId)).toEqual([
    [0, 2],
    [7, 1],
  ]);
});

test('a shard that was used up while it was waited for counts nobody beyond its part', async () => {
  const partnerId = await addPartner();
  const waiting = await database.db.transaction().execute(async (tx) => {
    await lockShards(tx, partnerId, 7, 7);
    await sql`update user_counts set users = granted - 1 where org_id = ${partnerId} and shard = 7`.execute(
      tx,
    );
    const waits = [1, 2].map((count) =>
      insert(partnerId, Array<undefined>(count).fill(undefined), { shard: 7, whenLocked: 'wait' }),
    );
    await untilWaiting(2);
    return { waits };
  });
  expect(await Promise.all(waiting.waits)).toEqual([[true], undefined]);
});

test('two batches with the same emails in opposite orders do not wait for each other in a circle', async () => {
  const partnerId = await addPartner();
  const first = ['a@example.com', 'M@example.com', 'z@example.com'];
  const second = ['Z@example.com', 'm@example.com', 'A@example.com'];
  const batches = await database.db.transaction().execute(async (tx) => {
    // Both have inserted some, and not all, when the one in the middle is free.
    await sql`insert into users (org_id, id, email, role, created_at, updated_at)
      values (${partnerId}, ${randomUUID()}, 'm@example.com', 'user', now(), now())`.execute(tx);
    const begun = [insert(partnerId, first, { shard: 1, whenLocked: 'skip' })];
    await untilWaiting(1);
    begun.push(insert(partnerId, second, { shard: 2, whenLocked: 'skip' }));
    await untilWaiting(2);
    return { begun };
  });
  expect(await Promise.all(batches.begun)).toEqual([
    [true, false, true],
    [false, false, false],
  ]);
});
