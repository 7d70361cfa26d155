import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violatedConstraint } from '../../../src/queries/connection/database.ts';
import type { Db, Tx } from '../../../src/queries/connection/database.ts';
import { lockOrganization } from '../../../src/queries/accounts/organization-locks.ts';
import { addOrganization } from '../../oauth/fixture.ts';
import { testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await testDatabase();
  ({ db } = database);
});
afterAll(() => database.close());

/** SQLSTATE of a lock that is not had at once. */
const NOT_AVAILABLE = { code: '55P03' };

/** Locks in a transaction that does not wait, or rejects. */
const tryLock = (lock: (tx: Tx) => Promise<unknown>): Promise<void> =>
  db.transaction().execute(async (tx) => {
    await sql`set local lock_timeout = '10ms'`.execute(tx);
    await lock(tx);
  });

test("a transaction waits for another one of its organization, and for none of another organization's", async () => {
  const partner = await addOrganization(db);
  const [simulation, stranger] = [await addOrganization(db, partner), await addOrganization(db)];
  const tryOf = (orgId: string) => tryLock((tx) => lockOrganization(tx, orgId));
  // The first time the row is made, the second time it is there.
  for (let time = 1; time <= 2; time += 1) {
    await db.transaction().execute(async (tx) => {
      await lockOrganization(tx, partner);
      await lockOrganization(tx, partner);
      await expect(tryOf(partner)).rejects.toMatchObject(NOT_AVAILABLE);
      await tryOf(simulation);
      await tryOf(stranger);
    });
    await tryOf(partner);
  }
});

test('transactions of the version before, which lock the organization itself, wait too', async () => {
  const orgId = await addOrganization(db);
  const lockAsBefore = (tx: Tx) =>
    sql`select from organizations where id = ${orgId} for no key update`.execute(tx);
  await db.transaction().execute(async (tx) => {
    await lockOrganization(tx, orgId);
    await expect(tryLock(lockAsBefore)).rejects.toMatchObject(NOT_AVAILABLE);
  });
  await db.transaction().execute(async (tx) => {
    await lockAsBefore(tx);
    await expect(tryLock((other) => lockOrganization(other, orgId))).rejects.toMatchObject(NOT_AVAILABLE);
  });
});

test('nobody who refers to the organization waits for its lock', async () => {
  const orgId = await addOrganization(db);
  await db.transaction().execute(async (tx) => {
    await lockOrganization(tx, orgId);
    await tryLock((other) => sql`select from organizations where id = ${orgId} for key share`.execute(other));
  });
});

test('an organization that is gone cannot be locked', async () => {
  const gone = '00000000-0000-4000-8000-000000000000';
  const failed = await tryLock((tx) => lockOrganization(tx, gone)).catch((error: unknown) => error);
  expect(violatedConstraint(failed)).toBe('organization_locks_org_fkey');
});
