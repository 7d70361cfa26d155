import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256Digest } from '../../src/domain/security/credentials.ts';
import { authenticateClient } from '../../src/oauth/client-credentials.ts';
import { buildAuthorizationServerMetadata } from '../../src/oauth/metadata.ts';
import {
  findApplication,
  findClient,
  insertApplication,
  listApplications,
  updateApplicationSecret,
  updateApplication,
} from '../../src/queries/accounts/applications.ts';
import { findOrganization, isOrganizationReachable } from '../../src/queries/accounts/organizations.ts';
import { deleteRateLimitsBefore, countQuotaUse } from '../../src/queries/accounts/rate-limits.ts';
import { insertSignupRequest, listSignupRequests } from '../../src/queries/accounts/signup-requests.ts';
import type { TestDatabase } from '../support/database.ts';
import { testDatabase } from '../support/database.ts';
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

  test('change name and grant type only inside their organization', async () => {
    const client = await addClient(database.db);
    const change = { name: 'New name', grantType: 'password' } as const;
    expect(
      await updateApplication(database.db, randomUUID(), client.applicationId, change, after(5)),
    ).toBeUndefined();
    const changed = await updateApplication(
      database.db,
      client.orgId,
      client.applicationId,
      change,
      after(5),
    );
    expect(changed).toMatchObject({ ...change, createdAt: START, updatedAt: after(5), redirectUris: '' });
    expect(await findApplication(database.db, client.orgId, client.applicationId)).toEqual(changed);
    expect(await findApplication(database.db, randomUUID(), client.applicationId)).toBeUndefined();
    expect((await findClient(database.db, client.clientId))?.application).toEqual(changed);
  });

  test('take only the new secret once it was replaced', async () => {
    const { orgId, applicationId, clientId, clientSecret } = await addClient(database.db);
    expect(
      await updateApplicationSecret(database.db, randomUUID(), applicationId, sha256Digest('new'), after(5)),
    ).toBe(false);
    expect(await authenticateClient(database.db, { clientId, clientSecret })).toBeDefined();
    expect(
      await updateApplicationSecret(database.db, orgId, applicationId, sha256Digest('new'), after(5)),
    ).toBe(true);
    expect(await authenticateClient(database.db, { clientId, clientSecret })).toBeUndefined();
    expect(await authenticateClient(database.db, { clientId, clientSecret: 'new' })).toBeDefined();
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

describe('a quota', () => {
  test('is counted down, refuses when used up and is whole again in the next window', async () => {
    const use = (now: Date): ReturnType<typeof countQuotaUse> =>
      countQuotaUse(database.db, 'login', 'someone', 2, 60, now);
    expect(await use(after(0))).toEqual({ used: 1, remaining: 1, resetSeconds: 60 });
    expect(await use(after(15_500))).toEqual({ used: 2, remaining: 0, resetSeconds: 45 });
    expect(await use(after(16_000))).toEqual({ used: 3, remaining: 0, resetSeconds: 44 });
    // However often: the count does not run away.
    expect(await use(after(59_999))).toEqual({ used: 3, remaining: 0, resetSeconds: 1 });
    expect(await use(after(60_000))).toEqual({ used: 1, remaining: 1, resetSeconds: 60 });
    // A process whose clock is behind counts into the newer window.
    expect(await use(after(59_000))).toEqual({ used: 2, remaining: 0, resetSeconds: 60 });
  });

  test('belongs to one policy and one subject', async () => {
    for (const [policy, subject] of [
      ['a', 'x'],
      ['a', 'y'],
      ['b', 'x'],
    ] as const) {
      expect(await countQuotaUse(database.db, policy, subject, 5, 60, START)).toMatchObject({ used: 1 });
    }
  });

  test('is shared: forty uses at once are counted one by one', async () => {
    const uses = await Promise.all(
      Array.from({ length: 40 }, () => countQuotaUse(database.db, 'shared', 'x', 100, 60, START)),
    );
    expect(uses.map(({ used }) => used).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 40 }, (_, n) => n + 1),
    );
  });

  test('is swept with its window', async () => {
    await countQuotaUse(database.db, 'swept', 'x', 5, 60, after(3_600_000));
    await deleteRateLimitsBefore(database.db, after(3_600_000));
    const left = await database.db.selectFrom('rate_limits').select('policy').execute();
    expect(left).toEqual([{ policy: 'swept' }]);
  });
});
