import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { sha256Digest } from '../../src/domain/security/credentials.ts';
import { openDatabase } from '../../src/queries/connection/database.ts';
import { replaceSecrets } from '../../src/queries/accounts/application-secrets.ts';
import { authenticateClient } from '../../src/oauth/client-credentials.ts';
import { buildAuthorizationServerMetadata } from '../../src/oauth/metadata.ts';
import {
  deleteApplication,
  findApplication,
  insertApplication,
  listApplications,
  updateApplication,
} from '../../src/queries/accounts/applications.ts';
import { findClient } from '../../src/queries/accounts/clients.ts';
import { findOrganization, isOrganizationReachable } from '../../src/queries/accounts/organizations.ts';
import { addQuotaUses, deleteRateLimitsBefore } from '../../src/queries/accounts/rate-limits.ts';
import { insertSignupRequest, listSignupRequests } from '../../src/queries/accounts/signup-requests.ts';
import type { TestDatabase } from '../support/database.ts';
import { testDatabase } from '../support/database.ts';
import { recordStatements } from '../support/sent-statements.ts';
import { addClient, addOrganization, addUser, START } from './fixture.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const after = (ms: number): Date => new Date(START.getTime() + ms);

test('the metadata names the addresses under the base address', () => {
  expect(buildAuthorizationServerMetadata('https://api.example/base')).toEqual({
    issuer: 'https://api.example/base',
    token_endpoint: 'https://api.example/base/oauth2/token/',
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    revocation_endpoint: 'https://api.example/base/oauth2/revoke_token/',
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    grant_types_supported: ['client_credentials', 'password'],
    response_types_supported: [],
    scopes_supported: ['read', 'write'],
    service_documentation: 'https://api.example/base/docs',
  });
});

test('an organization reaches itself and the simulation organizations of its fleets, nothing else', async () => {
  const [own, stranger] = [await addOrganization(database.db), await addOrganization(database.db)];
  const simulation = await addOrganization(database.db, own);
  expect(await findOrganization(database.db, simulation)).toMatchObject({
    kind: 'simulation',
    parentOrgId: own,
  });
  const reachable = await Promise.all(
    [own, own.toUpperCase(), simulation, simulation.toUpperCase(), stranger, randomUUID()].map((id) =>
      isOrganizationReachable(database.db, own, id),
    ),
  );
  expect(reachable).toEqual([true, true, true, true, false, false]);
  expect(await isOrganizationReachable(database.db, simulation, own)).toBe(false);
  expect(await isOrganizationReachable(database.db, stranger, simulation)).toBe(false);
});

describe('applications', () => {
  test('are listed newest first, of the organization or of one owner', async () => {
    const client = await addClient(database.db);
    const later = await insertApplication(
      database.db,
      {
        orgId: client.orgId,
        ownerUserId: await addUser(database.db, client.orgId),
        name: 'Later',
        clientId: 'later',
        secretHash: sha256Digest('x'),
        grantType: 'password',
      },
      after(1000),
    );
    const ids = async (owner?: string): Promise<string[]> =>
      (await listApplications(database.db, client.orgId, owner)).map(({ id }) => id);
    expect(await ids()).toEqual([later.id, client.applicationId]);
    expect(await ids(client.ownerId)).toEqual([client.applicationId]);
    expect(await listApplications(database.db, randomUUID())).toEqual([]);
  });

  test('change name and grant type only inside their organization, and as they were read', async () => {
    const client = await addClient(database.db);
    const change = { name: 'New name', grantType: 'password', scope: 'read' } as const;
    const key = { orgId: client.orgId, id: client.applicationId, updatedAt: START };
    for (const other of [{ orgId: randomUUID() }, { updatedAt: after(1) }])
      expect(await updateApplication(database.db, { ...key, ...other }, change, after(5))).toBeUndefined();
    const changed = await updateApplication(database.db, key, change, after(5));
    expect(changed).toMatchObject({ ...change, createdAt: START, updatedAt: after(5), redirectUris: '' });
    expect(await findApplication(database.db, client.orgId, client.applicationId)).toEqual(changed);
    expect(await findApplication(database.db, randomUUID(), client.applicationId)).toBeUndefined();
    expect((await findClient(database.db, client.orgId, client.clientId))?.application).toEqual(changed);
  });

  test('are found by one statement once they were found, and where their client id is by now', async () => {
    const recorder = recordStatements();
    // What is recorded is sent by connections that are opened from now on.
    const { db, close } = openDatabase({ connection: database.connection, max: 1 });
    onTestFinished(async () => {
      recorder.stop();
      await close();
    });
    const client = await addClient(db);
    const find = async () => {
      recorder.take();
      const found = await authenticateClient(db, client, after(1));
      return [found?.application.orgId, recorder.take().length];
    };
    expect(await find()).toEqual([client.orgId, 2]);
    expect(await find()).toEqual([client.orgId, 1]);
    await deleteApplication(db, client.orgId, client.applicationId);
    expect(await find()).toEqual([undefined, 2]);
    const { clientId, clientSecret } = client;
    const other = await addClient(db, { clientId, clientSecret });
    expect(await find()).toEqual([other.orgId, 2]);
    expect(await find()).toEqual([other.orgId, 1]);
    await deleteApplication(db, other.orgId, other.applicationId);
    const third = await addClient(db, { clientId, clientSecret });
    expect(await find()).toEqual([third.orgId, 2]);
  });

  test('take only the new secret once it was replaced', async () => {
    const { orgId, applicationId, clientId, clientSecret } = await addClient(database.db);
    expect(
      await replaceSecrets(
        database.db,
        { orgId: randomUUID(), id: applicationId },
        sha256Digest('new'),
        after(5),
      ),
    ).toBe(false);
    expect(await authenticateClient(database.db, { clientId, clientSecret }, after(6))).toBeDefined();
    expect(
      await replaceSecrets(database.db, { orgId, id: applicationId }, sha256Digest('new'), after(5)),
    ).toBe(true);
    expect(await authenticateClient(database.db, { clientId, clientSecret }, after(6))).toBeUndefined();
    expect(await authenticateClient(database.db, { clientId, clientSecret: 'new' }, after(6))).toBeDefined();
  });
});

test('sign-up requests are listed newest first, page by page, also those of one millisecond', async () => {
  const inviteToken = randomUUID();
  for (const [index, at] of [0, 1, 1, 1, 2].entries()) {
    const request = { email: `${index}@b.example`, url: 'https://b.example/', inviteToken };
    await insertSignupRequest(database.db, request, after(at));
  }
  const all = await listSignupRequests(database.db, 10);
  expect(all.map(({ createdAt }) => createdAt.getTime() - START.getTime())).toEqual([2, 1, 1, 1, 0]);
  expect(all[4]).toEqual({
    id: all[4]?.id,
    email: '0@b.example',
    url: 'https://b.example/',
    inviteToken,
    createdAt: START,
  });
  const firstPage = await listSignupRequests(database.db, 2);
  const secondPage = await listSignupRequests(database.db, 10, firstPage[1]);
  expect([...firstPage, ...secondPage]).toEqual(all);
});

describe('the uses of a quota', () => {
  const use = (subject: string, used: number, windowStartedAt: Date) => ({
    policy: 'default',
    subject,
    windowStartedAt,
    used,
  });

  test('are added up in their window, and begin anew in the next one', async () => {
    const add = (used: number, endsAt: Date) => addQuotaUses(database.db, [use('someone', used, endsAt)]);
    expect(await add(2, after(60_000))).toEqual([use('someone', 2, after(60_000))]);
    expect(await add(3, after(60_000))).toEqual([use('someone', 5, after(60_000))]);
    expect(await add(1, after(120_000))).toEqual([use('someone', 1, after(120_000))]);
    // Of a process whose clock is behind.
    expect(await add(1, after(60_000))).toEqual([use('someone', 2, after(120_000))]);
    // The count does not run over.
    expect(await add(2 ** 31 - 1, after(120_000))).toEqual([use('someone', 2 ** 31 - 1, after(120_000))]);
  });

  test('of forty processes at once are all counted, whatever the order of their subjects', async () => {
    const ends = after(60_000);
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const uses = ['x', 'y', 'z'].map((subject) => use(subject, 1, ends));
        return addQuotaUses(database.db, index % 2 === 0 ? uses : uses.toReversed());
      }),
    );
    const totals = await addQuotaUses(
      database.db,
      ['x', 'y', 'z'].map((subject) => use(subject, 1, ends)),
    );
    expect(totals.map(({ used }) => used)).toEqual([41, 41, 41]);
  });

  test('are swept when their window is over', async () => {
    await addQuotaUses(database.db, [use('kept', 1, after(7_200_000)), use('over', 1, after(3_600_000))]);
    await deleteRateLimitsBefore(database.db, after(7_200_000), 10);
    const left = await database.db.selectFrom('rate_limits').select('subject').execute();
    expect(left).toEqual([{ subject: 'kept' }]);
  });
});
