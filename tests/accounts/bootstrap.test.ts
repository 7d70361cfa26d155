import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Secret } from '../../src/domain/security/secret.ts';
import { bootstrapFirstOrganization, createOrganization } from '../../src/accounts/bootstrap.ts';
import type { BootstrapSettings, FirstCredentials } from '../../src/accounts/bootstrap.ts';
import { authenticateClient } from '../../src/oauth/client-credentials.ts';
import { changePassword, issueInitialPassword } from '../../src/accounts/passwords.ts';
import { accountVerifier } from '../support/verifier.ts';
import { listApplications } from '../../src/queries/accounts/applications.ts';
import { openDatabase } from '../../src/queries/connection/database.ts';
import type { Db } from '../../src/queries/connection/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { testDatabase } from '../support/database.ts';
import { cheapHasher } from '../support/password-hashes.ts';
import { addOrganization, addUser, softDelete, START } from '../oauth/fixture.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(() => database.close());

async function rows(): Promise<{ organizations: number; users: number; applications: number }> {
  const { rows: found } = await database.pool.query<{
    organizations: number;
    users: number;
    applications: number;
  }>(
    `select (select count(*) from organizations) as organizations, (select count(*) from users) as users,
       (select count(*) from applications) as applications`,
  );
  return found[0] ?? { organizations: -1, users: -1, applications: -1 };
}

/** What was shown; undefined where nothing was made. */
async function bootstrap(db: Db, settings: BootstrapSettings = {}): Promise<FirstCredentials | undefined> {
  let shown: FirstCredentials | undefined;
  await bootstrapFirstOrganization(db, settings, START, (first) => (shown = first));
  return shown;
}

describe('bootstrap', () => {
  test('makes an organization, an admin with an initial password and an application, once', async () => {
    const first = await bootstrap(database.db);
    if (first === undefined) throw new Error('nothing was made');
    expect(first).toMatchObject({
      orgName: 'Partner',
      email: 'admin@example.com',
      username: 'admin@example.com',
    });
    expect(first.clientId).toMatch(/^[A-Za-z0-9]{40}$/);
    expect(first.clientSecret.reveal()).toMatch(/^[A-Za-z0-9]{128}$/);
    expect(JSON.stringify(first)).not.toContain(first.clientSecret.reveal());

    expect(await accountVerifier(database.db)(first.username, first.password.reveal())).toMatchObject({
      orgId: first.orgId,
      userId: first.adminUserId,
      username: first.username,
      email: first.email,
      role: 'admin',
      passwordChangeRequired: true,
      initialPasswordExpiresAt: new Date(START.getTime() + 72 * 3_600_000),
      isSuspended: false,
    });
    const credentials = { clientId: first.clientId, clientSecret: first.clientSecret.reveal() };
    expect(await authenticateClient(database.db, credentials, new Date())).toMatchObject({
      application: { ownerUserId: first.adminUserId, grantType: 'client-credentials' },
      partnerId: first.orgId,
    });

    expect(await bootstrap(database.db)).toBeUndefined();
    expect(await rows()).toEqual({ organizations: 1, users: 1, applications: 1 });
  });

  test('takes fixed values; a fixed password is still an initial one', async () => {
    const orgId = randomUUID();
    const first = await bootstrap(database.db, {
      orgId,
      adminEmail: 'Boss@Partner.example',
      adminPassword: new Secret('chosen password'),
      clientId: 'chosen-client',
      clientSecret: new Secret('chosen-secret'),
    });
    expect(first).toMatchObject({ orgId, username: 'Boss@Partner.example', clientId: 'chosen-client' });
    expect(await accountVerifier(database.db)('boss@partner.example', 'chosen password')).toMatchObject({
      orgId,
      passwordChangeRequired: true,
    });
    expect(
      await authenticateClient(
        database.db,
        { clientId: 'chosen-client', clientSecret: 'chosen-secret' },
        new Date(),
      ),
    ).toMatchObject({ application: { orgId } });
  });

  test('by eight processes at once makes one', async () => {
    const pools = Array.from({ length: 8 }, () => openDatabase({ connection: database.connection, max: 1 }));
    const made = await Promise.all(pools.map(({ db }) => bootstrap(db)));
    await Promise.all(pools.map(({ close }) => close()));
    expect(made.filter((credentials) => credentials !== undefined)).toHaveLength(1);
    expect(await rows()).toEqual({ organizations: 1, users: 1, applications: 1 });
  });

  test('leaves nothing behind when it fails half-way', async () => {
    await database.pool.query('alter table applications add constraint full_up check (false)');
    await expect(bootstrap(database.db)).rejects.toThrow('full_up');
    expect(await rows()).toEqual({ organizations: 0, users: 0, applications: 0 });
  });

  test('makes nothing when the credentials cannot be shown', async () => {
    const show = (): never => {
      throw new Error('no room');
    };
    await expect(bootstrapFirstOrganization(database.db, {}, START, show)).rejects.toThrow('no room');
    expect(await rows()).toEqual({ organizations: 0, users: 0, applications: 0 });
  });
});

describe('further organizations', () => {
  test('get an admin and an application; a taken email gets the organization into the username', async () => {
    const one = await createOrganization(database.db, { name: 'One', adminEmail: 'a@b.example' }, START);
    const two = await createOrganization(database.db, { name: 'Two', adminEmail: 'A@b.example' }, START);
    expect(one).toMatchObject({ orgName: 'One', username: 'a@b.example' });
    expect(two).toMatchObject({
      orgName: 'Two',
      username: `A+${two.orgId.slice(0, 8)}@b.example`,
      email: 'A@b.example',
    });
    expect(await accountVerifier(database.db)(two.username, two.password.reveal())).toMatchObject({
      orgId: two.orgId,
    });
    expect(await accountVerifier(database.db)(one.username, two.password.reveal())).toBeUndefined();
    expect(await listApplications(database.db, two.orgId)).toHaveLength(1);
    expect(await rows()).toEqual({ organizations: 2, users: 2, applications: 2 });
  });

  test('of the same email at once get different usernames', async () => {
    const wanted = { name: 'Same', adminEmail: 'same@b.example' };
    const made = await Promise.all([1, 2, 3].map(() => createOrganization(database.db, wanted, START)));
    expect(new Set(made.map(({ username }) => username)).size).toBe(3);
  });
});

describe('an initial password', () => {
  test('gives a user of the API a username and a password that must be changed', async () => {
    const orgId = await addOrganization(database.db);
    const userId = await addUser(database.db, orgId, 'user', 'new@b.example');
    const issued = await issueInitialPassword(
      database.db,
      { orgId, email: 'NEW@b.example' },
      START,
      cheapHasher,
    );
    if (issued === undefined) throw new Error('no such user');
    const account = await accountVerifier(database.db)(issued.username, issued.password.reveal());
    expect(account).toMatchObject({ userId, role: 'user', passwordChangeRequired: true });

    if (account === undefined) throw new Error('The initial password is wrong.');
    const changed = await changePassword(database.db, account, 'own choice', START, cheapHasher);
    expect(changed).toMatch(/^[\w-]{43}$/);
    expect(await accountVerifier(database.db)(issued.username, issued.password.reveal())).toBeUndefined();
    expect(await accountVerifier(database.db)(issued.username, 'own choice')).toMatchObject({
      passwordChangeRequired: false,
    });
  });

  test('given again keeps the username, ends the old password and the portal sessions', async () => {
    const first = await createOrganization(database.db, { name: 'One', adminEmail: 'a@b.example' }, START);
    const session = {
      session_hash: Buffer.alloc(32),
      org_id: first.orgId,
      user_id: first.adminUserId,
      csrf_secret: 'x',
      created_at: START,
      expires_at: START,
    };
    await database.db.insertInto('portal_sessions').values(session).execute();
    const issued = await issueInitialPassword(
      database.db,
      { orgId: first.orgId, email: first.email },
      START,
      cheapHasher,
    );
    expect(issued?.username).toBe(first.username);
    expect(await accountVerifier(database.db)(first.username, first.password.reveal())).toBeUndefined();
    expect(await database.db.selectFrom('portal_sessions').select('user_id').execute()).toEqual([]);
  });

  test('is refused to a stranger, to a deleted user and to a user of another organization', async () => {
    const [orgId, otherId] = [await addOrganization(database.db), await addOrganization(database.db)];
    await softDelete(database.db, await addUser(database.db, orgId, 'user', 'gone@b.example'));
    await addUser(database.db, otherId, 'user', 'far@b.example');
    for (const email of ['nobody@b.example', 'gone@b.example', 'far@b.example']) {
      expect(await issueInitialPassword(database.db, { orgId, email }, START, cheapHasher)).toBeUndefined();
    }
    const named = database.db.selectFrom('users').select('id').where('username', 'is not', null);
    expect(await named.execute()).toEqual([]);
  });

  test('finds a username also when an email changed hands in one organization', async () => {
    const orgId = await addOrganization(database.db);
    const names: (string | undefined)[] = [];
    for (let holder = 0; holder < 3; holder++) {
      const userId = await addUser(database.db, orgId, 'user', 'desk@b.example');
      names.push(
        (await issueInitialPassword(database.db, { orgId, email: 'desk@b.example' }, START, cheapHasher))
          ?.username,
      );
      await database.db
        .updateTable('users')
        .set({ email: `was-${holder}@b.example` })
        .where('id', '=', userId)
        .execute();
    }
    const short = orgId.slice(0, 8);
    expect(names).toEqual(['desk@b.example', `desk+${short}@b.example`, `desk+${short}-2@b.example`]);
  });
});
