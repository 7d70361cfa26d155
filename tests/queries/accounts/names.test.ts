// Names that are mapped to their organization: by the program itself, and by triggers for processes of the version before.
import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createOrganization } from '../../../src/accounts/bootstrap.ts';
import { issueInitialPassword } from '../../../src/accounts/passwords.ts';
import { createAccountVerifier } from '../../../src/accounts/sign-in.ts';
import { deleteApplication, insertApplication } from '../../../src/queries/accounts/applications.ts';
import { findAccountWithHash } from '../../../src/queries/accounts/accounts.ts';
import { deleteNamesOfHouseholds, findOrganizationOfClient } from '../../../src/queries/accounts/names.ts';
import { softDeleteUser } from '../../../src/queries/accounts/users.ts';
import { sha256Digest } from '../../../src/domain/security/credentials.ts';
import { violatedConstraint } from '../../../src/queries/connection/database.ts';
import type { Db } from '../../../src/queries/connection/database.ts';
import { applyMigrations } from '../../../src/queries/connection/migrations.ts';
import { addOrganization, addUser, START } from '../../oauth/fixture.ts';
import { emptyDatabase, testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';
import { unlimitedHashing } from '../../support/verifier.ts';

let database: TestDatabase;
let db: Db;
beforeEach(async () => {
  database = await testDatabase();
  ({ db } = database);
});
afterEach(() => database.close());

const MIGRATIONS = resolve(import.meta.dirname, '../../../migrations');
const TRIGGERS = ['users_named', 'users_renamed', 'users_removed'];

async function dropTriggers(): Promise<void> {
  for (const name of TRIGGERS) await sql`drop trigger if exists ${sql.ref(name)} on users`.execute(db);
  await sql`drop trigger if exists applications_named on applications`.execute(db);
}

/** What is mapped, and what should be: names that lead somewhere. */
async function mapped(): Promise<{ usernames: unknown; clientIds: unknown }> {
  const names = await sql`select username, org_id from usernames order by username`.execute(db);
  const ids = await sql`select client_id, org_id from client_ids order by client_id`.execute(db);
  return { usernames: names.rows, clientIds: ids.rows };
}
async function held(): Promise<{ usernames: unknown; clientIds: unknown }> {
  const names = await sql`
    select lower(username) as username, org_id from users
    where username is not null and deleted_at is null order by 1`.execute(db);
  const ids = await sql`
    select client_id, a.org_id from applications a join users u on u.org_id = a.org_id and u.id = a.owner_user_id
    where u.deleted_at is null order by client_id`.execute(db);
  return { usernames: names.rows, clientIds: ids.rows };
}

const application = (orgId: string, ownerUserId: string, clientId: string = randomUUID()) => ({
  orgId,
  ownerUserId,
  name: 'App',
  clientId,
  secretHash: sha256Digest('secret'),
  grantType: 'client-credentials' as const,
});

const found = (adminEmail: string) => createOrganization(db, { name: 'Org', adminEmail }, START);
const remove = (orgId: string, id: string) =>
  db.transaction().execute((tx) => softDeleteUser(tx, { orgId, id }, START));

describe('without triggers', () => {
  beforeEach(dropTriggers);

  test('each name that is given is mapped, and each that is taken away is not', async () => {
    const { orgId, adminUserId, username } = await found('Admin@Partner.example');
    const person = await addUser(db, orgId, 'staff', 'Person@Partner.example');
    const issue = () => issueInitialPassword(db, { orgId, email: 'person@partner.example' }, START);
    const first = await issue();
    expect((await issue())?.username).toBe(first?.username);
    const made = await insertApplication(db, application(orgId, person), START);
    await insertApplication(db, application(orgId, person), START);
    expect(await mapped()).toEqual(await held());
    expect(await findAccountWithHash(db, username.toUpperCase())).toMatchObject({
      account: { orgId, userId: adminUserId },
    });
    expect(await findOrganizationOfClient(db, made.clientId)).toBe(orgId);
    expect(await deleteApplication(db, orgId, made.id)).toBe(true);
    expect(await deleteApplication(db, orgId, made.id)).toBe(false);
    expect(await mapped()).toEqual(await held());
    await remove(orgId, person);
    expect(await mapped()).toEqual(await held());
    expect(await findAccountWithHash(db, first?.username ?? '')).toBeUndefined();
  });

  test('a name that is taken breaks its key, whatever the letter case, and is free again after its user', async () => {
    await sql`drop index if exists users_username_key`.execute(db);
    await sql`alter table applications drop constraint if exists applications_client_id_key`.execute(db);
    const first = await found('taken@partner.example');
    const second = await found('Taken@partner.example');
    expect([first.username, second.username]).toEqual([
      'taken@partner.example',
      `Taken+${second.orgId.slice(0, 8)}@partner.example`,
    ]);
    const twice = application(second.orgId, second.adminUserId, first.clientId);
    const failed = await insertApplication(db, twice, START).catch((error: unknown) => error);
    expect(violatedConstraint(failed)).toBe('client_ids_pkey');
    await remove(first.orgId, first.adminUserId);
    expect((await found('TAKEN@partner.example')).username).toBe('TAKEN@partner.example');
    expect(await mapped()).toEqual(await held());
  });

  test('the names of households from an index on go with them', async () => {
    const partner = await addOrganization(db);
    const orgId = await addOrganization(db, partner);
    for (const index of [0, 1, null]) {
      const email = `home${String(index)}@partner.example`;
      const id = await addUser(db, orgId, 'user', email);
      await sql`
        update users set household_index = ${index}, fleet_id = ${index === null ? null : randomUUID()}
        where id = ${id}`.execute(db);
      await issueInitialPassword(db, { orgId, email }, START);
      await insertApplication(db, application(orgId, id), START);
    }
    await db.transaction().execute((tx) => deleteNamesOfHouseholds(tx, orgId, 1));
    await sql`delete from applications a using users u where u.org_id = a.org_id and u.id = a.owner_user_id and u.household_index >= 1`.execute(
      db,
    );
    await sql`delete from users where household_index >= 1`.execute(db);
    const left = await held();
    expect(left.usernames).toHaveLength(2);
    expect(await mapped()).toEqual(left);
  });
});

test('what the version before writes is mapped by triggers', async () => {
  const { orgId, adminUserId } = await found('admin@partner.example');
  const [person, other] = [await addUser(db, orgId, 'staff'), await addUser(db, orgId, 'staff')];
  const set = (change: object, id = person) =>
    db.updateTable('users').set(change).where('org_id', '=', orgId).where('id', '=', id).execute();
  for (const change of [{ username: 'Old' }, { username: 'New' }, { email: 'x@partner.example' }]) {
    await set(change);
    expect(await mapped()).toEqual(await held());
  }
  await set({ deleted_at: START });
  expect(await mapped()).toEqual(await held());
  // The name of somebody who is deleted may be another's by now.
  await set({ username: 'new' }, other);
  await db.deleteFrom('users').where('id', '=', person).execute();
  expect(await mapped()).toEqual(await held());
  await db.deleteFrom('applications').where('owner_user_id', '=', adminUserId).execute();
  await db.deleteFrom('users').where('id', '=', other).execute();
  expect(await mapped()).toEqual(await held());
});

test('names that were given before the migration are mapped by it', async () => {
  const at = await emptyDatabase();
  const before = mkdtempSync(join(tmpdir(), 'names-test-'));
  try {
    for (const name of readdirSync(MIGRATIONS).filter((each) => each < '0022'))
      copyFileSync(join(MIGRATIONS, name), join(before, name));
    await applyMigrations(at.connection, before);
    await at.pool.query(`
      insert into organizations (id, name, kind, created_at) select gen_random_uuid(), 'Org', 'partner', now();
      insert into users (org_id, id, email, role, username, created_at, updated_at, deleted_at)
        select o.id, gen_random_uuid(), n || '@x.example', 'admin', nullif(n, 'Nobody'), now(), now(),
          case when n = 'Gone' then now() end
        from organizations o, unnest('{Some,Gone,Nobody}'::text[]) n;
      insert into applications (org_id, id, owner_user_id, name, client_id, secret_hash, client_type,
          authorization_grant_type, created_at, updated_at)
        select org_id, gen_random_uuid(), id, 'App', 'client of ' || email, '', 'confidential', 'password', now(), now()
        from users`);
    await applyMigrations(at.connection, MIGRATIONS);
    const { rows } = await at.pool.query(`
      select username as name from usernames join organizations o on o.id = org_id
      union all select client_id from client_ids join organizations o on o.id = org_id order by name`);
    expect(rows.map(({ name }: { name: string }) => name)).toEqual([
      'client of Gone@x.example',
      'client of Nobody@x.example',
      'client of Some@x.example',
      'some',
    ]);
  } finally {
    rmSync(before, { recursive: true });
    await at.close();
  }
});

test('a wrong password and an unknown name are refused alike', async () => {
  const { username, password } = await found('admin@partner.example');
  const verify = createAccountVerifier(db, unlimitedHashing);
  const caller = { partnerId: randomUUID() };
  expect(await verify(username, password.reveal(), caller)).toMatchObject({ username });
  expect(await verify(username, 'wrong', caller)).toBeUndefined();
  expect(await verify('nobody@partner.example', password.reveal(), caller)).toBeUndefined();
});
