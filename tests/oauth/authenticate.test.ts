import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sha256Digest, newAccessToken } from '../../src/domain/security/credentials.ts';
import type { Problem, ProblemOptions } from '../../src/domain/api/problem.ts';
import { FairShare } from '../../src/shares/fair-share.ts';
import { createAuthenticator } from '../../src/oauth/authenticate.ts';
import type { Authenticator } from '../../src/oauth/authenticate.ts';
import {
  deleteAccessToken,
  deleteAccessTokensExpiredBefore,
} from '../../src/queries/accounts/access-tokens.ts';
import { deleteApplication } from '../../src/queries/accounts/applications.ts';
import type { TestDatabase } from '../support/database.ts';
import { testDatabase } from '../support/database.ts';
import { countStatements } from '../support/statement-count.ts';
import { addClient, addToken, addOrganization, addUser, softDelete, START } from './fixture.ts';
import type { TestClient } from './fixture.ts';

let database: TestDatabase;
let client: TestClient;
let token: string;
let now: Date;
let elapsedMs: number;
let authenticator: Authenticator;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

beforeEach(async () => {
  now = START;
  elapsedMs = 0;
  authenticator = createAuthenticator({ db: database.db, clock: () => now, monotonicMs: () => elapsedMs });
  client = await addClient(database.db);
  token = await addToken(database.db, client, client.ownerId);
});

const enter = (value = token): ReturnType<Authenticator['authenticate']> =>
  authenticator.authenticate(`Bearer ${value}`);

const refused = {
  code: 'invalid_token',
  headers: {
    'WWW-Authenticate':
      'Bearer realm="partners", error="invalid_token", error_description="The access token is unknown, expired or revoked."',
  } satisfies ProblemOptions['headers'],
};

test('a token acts as its user, with the role and scope as they are', async () => {
  expect(await enter()).toEqual({
    userId: client.ownerId,
    orgId: client.orgId,
    partnerId: client.orgId,
    role: 'admin',
    scope: 'read write',
    applicationId: client.applicationId,
    tokenDigest: sha256Digest(token).toString('hex'),
  });
  const reader = await addUser(database.db, client.orgId, 'user');
  expect(await enter(await addToken(database.db, client, reader, 'read'))).toMatchObject({
    userId: reader,
    role: 'user',
    scope: 'read',
  });
});

test('the partner of a simulation organization is its parent', async () => {
  const simulationOrgId = await addOrganization(database.db, client.orgId);
  const simulated = await addClient(database.db, { orgId: simulationOrgId });
  const value = await addToken(database.db, simulated, simulated.ownerId);
  expect(await enter(value)).toMatchObject({ orgId: simulationOrgId, partnerId: client.orgId });
});

test.each(['bearer', 'BEARER', 'Bearer '])('the scheme may be written %p', async (scheme) => {
  expect(await authenticator.authenticate(`${scheme} ${token}`)).toMatchObject({ userId: client.ownerId });
});

test.each([undefined, '', 'Bearer', 'Basic YTpi', 'Digest x', 'pat_abc', 'Bearerpat_abc'])(
  'no bearer credentials (%p) are unauthenticated, with a bare challenge',
  async (header) => {
    await expect(authenticator.authenticate(header)).rejects.toMatchObject({
      code: 'unauthenticated',
      headers: { 'WWW-Authenticate': 'Bearer realm="partners"' },
    });
  },
);

test('an unknown token, and the stored digest sent as a token, are invalid_token', async () => {
  await expect(enter(newAccessToken(client.orgId))).rejects.toMatchObject(refused);
  await expect(enter(sha256Digest(token).toString('hex'))).rejects.toMatchObject(refused);
  await expect(enter(`${token} x`)).rejects.toMatchObject(refused);
});

test('a token ends at its last millisecond, remembered or not, and is then swept', async () => {
  now = new Date(START.getTime() + 35_999_999);
  await enter();
  now = new Date(START.getTime() + 36_000_000);
  await expect(enter()).rejects.toMatchObject(refused);
  elapsedMs += 10_000;
  await expect(enter()).rejects.toMatchObject(refused);
  expect(await deleteAccessTokensExpiredBefore(database.db, now, 100)).toBe(0);
  expect(
    await deleteAccessTokensExpiredBefore(database.db, new Date(now.getTime() + 1), 100),
  ).toBeGreaterThan(0);
});

describe('a change in another process takes effect within a second', () => {
  async function settles(change: () => Promise<unknown>, outcome: object): Promise<void> {
    await enter();
    await change();
    elapsedMs = 500;
    // Still remembered: this shows that the memory is there, and that only its age ends it.
    expect(await enter()).toMatchObject({ role: 'admin' });
    elapsedMs = 1000;
    const result = await enter().catch((problem: unknown) => problem);
    expect(result).toMatchObject(outcome);
  }

  test('revocation', () =>
    settles(
      () =>
        deleteAccessToken(database.db, sha256Digest(token), {
          orgId: client.orgId,
          id: client.applicationId,
        }),
      refused,
    ));
  test('deletion of the owner', () => settles(() => softDelete(database.db, client.ownerId), refused));
  test('deletion of the application', () =>
    settles(() => deleteApplication(database.db, client.orgId, client.applicationId), refused));
  test('a new role', () =>
    settles(
      () =>
        database.db.updateTable('users').set({ role: 'staff' }).where('id', '=', client.ownerId).execute(),
      { role: 'staff' },
    ));
});

test('the owner of the application takes the tokens of its users along', async () => {
  const holder = await addUser(database.db, client.orgId);
  const held = await addToken(database.db, client, holder);
  await enter(held);
  await softDelete(database.db, client.ownerId);
  authenticator.invalidateCachedTokensOf(client.ownerId);
  await expect(enter(held)).rejects.toMatchObject(refused);
});

test('a revoked token ends at once in this process, another one stays remembered', async () => {
  const other = await addToken(database.db, client, client.ownerId);
  await enter();
  await enter(other);
  await database.db.deleteFrom('access_tokens').where('org_id', '=', client.orgId).execute();
  authenticator.invalidateCachedToken(sha256Digest(token).toString('hex'));
  await expect(enter()).rejects.toMatchObject(refused);
  expect(await enter(other)).toMatchObject({ userId: client.ownerId });
});

test.each(['ownerId', 'applicationId'] as const)('the tokens of a %s are forgotten at once', async (key) => {
  await enter();
  await database.db.deleteFrom('access_tokens').where('org_id', '=', client.orgId).execute();
  authenticator.invalidateCachedTokensOf(crypto.randomUUID());
  await enter();
  authenticator.invalidateCachedTokensOf(client[key]);
  await expect(enter()).rejects.toMatchObject(refused);
});

test('what was being read while a change was announced is not remembered', async () => {
  const reading = enter();
  authenticator.invalidateCachedTokensOf(client.ownerId);
  await reading;
  await softDelete(database.db, client.ownerId);
  await expect(enter()).rejects.toMatchObject(refused);
});

test('a failed read is not remembered', async () => {
  await database.pool.query('alter table access_tokens rename to away');
  elapsedMs = 1000;
  await expect(enter()).rejects.toThrow('does not exist');
  await database.pool.query('alter table away rename to access_tokens');
  expect(await enter()).toMatchObject({ userId: client.ownerId });
});

test('a flood of unknown tokens has two look-ups at once, and a token that was seen before waits for none', async () => {
  const { db, pool } = database;
  // All ten connections are open before: otherwise two might do all the work while the others are being opened.
  const open = [];
  while (open.length < 10) open.push(await pool.connect());
  for (const connection of open) connection.release();
  const { most, running } = countStatements(pool);
  const turns = new FairShare({ capacity: 4, asOfRight: 2, atMost: 2, maxWaiting: 200 });
  const bounded = createAuthenticator({ db, clock: () => now, monotonicMs: () => elapsedMs, turns });
  await bounded.authenticate(`Bearer ${token}`, () => 'flood');
  const flood = Array.from({ length: 40 }, () =>
    bounded.authenticate(`Bearer ${newAccessToken(client.orgId)}`, () => 'flood'),
  );
  const ended = Promise.allSettled(flood);
  expect(await bounded.authenticate(`Bearer ${token}`, () => 'flood')).toMatchObject({
    userId: client.ownerId,
  });
  expect((await ended).map((each) => each.status === 'rejected' && (each.reason as Problem).code)).toEqual(
    Array<string>(40).fill('invalid_token'),
  );
  expect([most(), running()]).toEqual([2, 0]);
});

test('a token has its partner’s turn for a minute after it was found, and no longer than it lives', async () => {
  const find = () => authenticator.findProvenPartner(`Bearer ${token}`);
  await enter();
  elapsedMs = 59_999;
  expect(find()).toBe(client.orgId);
  elapsedMs = 60_000;
  expect(find()).toBeUndefined();
  now = new Date(START.getTime() + 36_000_000 - 500);
  await enter();
  elapsedMs += 499;
  expect(find()).toBe(client.orgId);
  elapsedMs += 1;
  expect(find()).toBeUndefined();
});
