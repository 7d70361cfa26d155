import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertUserWithinQuota } from '../../src/accounts/new-users.ts';
import { changeQuotas } from '../../src/accounts/quotas.ts';
import { DEFAULT_QUOTAS } from '../../src/domain/api/quotas.ts';
import { toNewUserFields } from '../../src/domain/users/users.ts';
import { countUse } from '../../src/queries/accounts/quotas.ts';
import type { NewUser } from '../../src/queries/accounts/new-users.ts';
import { openDatabase } from '../../src/queries/connection/database.ts';
import type { Db, OpenDatabase } from '../../src/queries/connection/database.ts';
import { addOrganization } from '../oauth/fixture.ts';
import { countStatements, countTransactions } from '../support/statement-count.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { lockWaits } from '../support/lock-waits.ts';

let at: TestDatabase;
/** As of another process. */
let other: OpenDatabase;
beforeAll(async () => {
  at = await testDatabase();
  other = openDatabase({ connection: at.connection });
});
afterAll(async () => {
  await other.close();
  await at.close();
});

const newUser = (given: Partial<NewUser> = {}): NewUser => ({
  ...toNewUserFields({ email: `${randomUUID()}@example.com`, role: 'user' }),
  id: randomUUID(),
  now: new Date('2026-06-15T12:00:00Z'),
  ...given,
});

const insert = (db: Db, orgId: string, user: NewUser) =>
  insertUserWithinQuota(db, orgId, user, { partnerId: orgId, quotas: DEFAULT_QUOTAS });

/** The SQLSTATE with which each ended, or else the message; undefined for who was stored. */
const insertAll = async (db: Db, orgId: string, users: readonly NewUser[]): Promise<unknown[]> => {
  const ends = await Promise.allSettled(users.map((user) => insert(db, orgId, user)));
  const failureOf = ({ code, message }: { code?: string; message: string }): string => code ?? message;
  return ends.map((end) => (end.status === 'rejected' ? failureOf(end.reason as Error) : undefined));
};

const countUsers = async (orgId: string): Promise<number> =>
  (await at.db.selectFrom('users').select('id').where('org_id', '=', orgId).execute()).length;

test('fifty at once take one connection, and those that are taken one each', async () => {
  const orgId = await addOrganization(at.db);
  const taken = await insert(at.db, orgId, newUser());
  const users = Array.from({ length: 50 }, (_, i) => newUser(i % 25 === 7 ? { email: taken.email } : {}));
  const { started } = countStatements(at.pool);
  const ends = await insertAll(at.db, orgId, users);
  expect(started()).toBe(3);
  expect(ends).toEqual(users.map(({ email }) => (email === taken.email ? '23505' : undefined)));
  expect([await countUse(at.db, orgId, 'users'), await countUsers(orgId)]).toEqual([49, 49]);
});

test('a value that cannot be stored, or is out of range, fails for its own user alone', async () => {
  const orgId = await addOrganization(at.db);
  const faulty: Partial<NewUser>[] = [
    {},
    {},
    { town: 'a\u0000b' },
    { role: 'owner' as 'admin' },
    { latitude: 1 },
  ];
  const ends = await insertAll(at.db, orgId, [...faulty.map(newUser), newUser()]);
  expect(ends).toEqual([undefined, undefined, '22021', '23514', '23514', undefined]);
  expect([await countUse(at.db, orgId, 'users'), await countUsers(orgId)]).toEqual([3, 3]);
});

test('two processes that create the same users at once create each of them once, and count them', async () => {
  const orgId = await addOrganization(at.db);
  for (let round = 0; round < 3; round += 1) {
    const emails = Array.from({ length: 16 }, (_, i) => `${round}.${i % 10}@example.com`);
    const users = (order: readonly string[]): NewUser[] => order.map((email) => newUser({ email }));
    const ends = await Promise.all([
      insertAll(at.db, orgId, users(emails)),
      insertAll(other.db, orgId, users(emails)),
    ]);
    const created = ends.flat().filter((end) => end === undefined);
    expect(created).toHaveLength(10);
    expect(new Set(ends.flat())).toEqual(new Set([undefined, '23505']));
  }
  expect([await countUse(at.db, orgId, 'users'), await countUsers(orgId)]).toEqual([30, 30]);
});

test('under a steady load the quota is divided at its beginning, and not by each batch that finds all shards locked', async () => {
  const orgId = await addOrganization(at.db);
  const pools = [at.pool, other.pool].map(countTransactions);
  const rounds = async (db: Db): Promise<void> => {
    for (let round = 0; round < 25; round += 1) await insert(db, orgId, newUser());
  };
  await Promise.all([at.db, other.db].flatMap((db) => Array.from({ length: 8 }, () => rounds(db))));
  // The two batches of each process that may be under way before the first division is over.
  const divisions = pools.reduce((sum, begun) => sum + begun(), 0);
  expect([divisions >= 1, divisions <= 4, divisions]).toEqual([true, true, divisions]);
  expect([await countUse(at.db, orgId, 'users'), await countUsers(orgId)]).toEqual([400, 400]);
});

test('what is left of a quota is divided a few times until it is used up, and refusals divide nothing', async () => {
  const orgId = await addOrganization(at.db);
  await changeQuotas(at.db, orgId, new Map([['users', 2_050]]));
  const begun = countTransactions(at.pool);
  const insertBatch = () =>
    insertAll(
      at.db,
      orgId,
      Array.from({ length: 100 }, () => newUser()),
    );
  for (let batch = 0; batch < 20; batch += 1)
    expect(new Set(await insertBatch())).toEqual(new Set([undefined]));
  const before = begun();
  expect([before >= 1, before <= 3, before]).toEqual([true, true, before]);
  const last = await insertBatch();
  expect(last.filter((end) => end === undefined)).toHaveLength(50);
  const divided = begun();
  expect(new Set(await insertBatch())).toEqual(new Set(['quota_reached']));
  expect(begun()).toBe(divided);
  expect([await countUse(at.db, orgId, 'users'), await countUsers(orgId)]).toEqual([2_050, 2_050]);
});

test('who deadlocks with a batch costs nobody else of it the place', async () => {
  const orgId = await addOrganization(at.db);
  await insert(at.db, orgId, newUser());
  const [first, second, third] = ['first', 'second', 'third'].map((name) =>
    newUser({ email: `${name}@example.com` }),
  );
  if (first === undefined || second === undefined || third === undefined) throw new Error('There are three.');
  const countWaiting = async (): Promise<number> => {
    const { rows } = await sql`select from ${sql.raw(lockWaits())}`.execute(at.db);
    return rows.length;
  };
  const stored = { org_id: orgId, role: 'user' as const, created_at: first.now, updated_at: first.now };
  const ends = await at.db.transaction().execute(async (tx) => {
    // The other side of the deadlock looks for it first.
    await sql`set local deadlock_timeout = '1h'`.execute(tx);
    const add = (email: string) =>
      tx
        .insertInto('users')
        .values({ ...stored, id: randomUUID(), email })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    await add(second.email);
    const batch = insertAll(other.db, orgId, [first, second, third]);
    await expect.poll(countWaiting, { interval: 5 }).toBe(1);
    await add(first.email);
    return { batch };
  });
  // Whose the first is depends on who goes on first.
  expect((await ends.batch).slice(1)).toEqual(['23505', undefined]);
  expect(await countUsers(orgId)).toBe(4);
});
