// Which of an application's secrets work, what is kept of their use, and what a read-only application is given.
import { expect, test } from 'vitest';
import { findActiveToken } from '../../src/queries/accounts/access-tokens.ts';
import {
  addSecret,
  recordSecretUses,
  replaceSecrets,
} from '../../src/queries/accounts/application-secrets.ts';
import { findApplication } from '../../src/queries/accounts/applications.ts';
import type { Application } from '../../src/queries/accounts/applications.ts';
import { newClientSecret, sha256Digest } from '../../src/domain/security/credentials.ts';
import { startSecretUses } from '../../src/compose/secret-uses.ts';
import { SecretUses } from '../../src/oauth/secret-uses.ts';
import { createTokenEndpoint } from '../../src/oauth/token-endpoint.ts';
import { accountVerifier } from '../support/verifier.ts';
import { addClient, addToken, basic, START } from './fixture.ts';
import type { TestClient } from './fixture.ts';
import { expectRefusal, expectToken } from './expectations.ts';
import { grant, tokenFixture } from './token-fixture.ts';

const fixture = tokenFixture();
const after = (ms: number): Date => new Date(START.getTime() + ms);

/** The token endpoint at an instant, and the uses that it tells of. */
function endpointAt(now: Date) {
  const uses = new SecretUses();
  const { db } = fixture.database;
  const endpoint = createTokenEndpoint({
    db,
    settings: { accessTokenSeconds: 36_000 },
    clock: () => now,
    verifyAccount: accountVerifier(db),
    onSecretUsed: (use) => uses.add(use),
  });
  const issue = (client: Pick<TestClient, 'clientId' | 'clientSecret'>, more = {}) =>
    endpoint.issue({
      authorization: basic(client.clientId, client.clientSecret),
      body: { ...grant, ...more },
    });
  return { issue, uses };
}

async function applicationOf({ orgId, applicationId }: TestClient): Promise<Application> {
  const found = await findApplication(fixture.database.db, orgId, applicationId);
  if (found === undefined) throw new Error('There is no such application.');
  return found;
}

/** Puts a new secret beside the present one, which works for a second. */
async function addSecretTo(client: TestClient): Promise<string> {
  const secret = newClientSecret();
  const given = { secretHash: sha256Digest(secret), olderEndsAt: after(1_000) };
  expect(await addSecret(fixture.database.db, await applicationOf(client), given, START)).toBe(true);
  return secret;
}

test('both secrets get tokens until the older one ends, and each use is told', async () => {
  const client = await addClient(fixture.database.db);
  const newer = { ...client, clientSecret: await addSecretTo(client) };
  const { issue, uses } = endpointAt(after(999));
  expectToken(await issue(client));
  expectToken(await issue(newer));
  expectToken(await issue(newer));
  expectRefusal(await issue({ ...client, clientSecret: 'wrong' }), 'invalid_client');
  const told = uses.take();
  expect(told.map(({ secretHash }) => secretHash.toString('hex'))).toEqual(
    [client, newer].map(({ clientSecret }) => sha256Digest(clientSecret).toString('hex')),
  );
  expect(uses.take()).toEqual([]);
  const later = endpointAt(after(1_000));
  expectRefusal(await later.issue(client), 'invalid_client');
  expectToken(await later.issue(newer));
});

test('the digest of a secret is no secret', async () => {
  const client = await addClient(fixture.database.db);
  await addSecretTo(client);
  const { issue } = endpointAt(START);
  for (const encoding of ['hex', 'base64'] as const) {
    const digest = sha256Digest(client.clientSecret).toString(encoding);
    expectRefusal(await issue({ ...client, clientSecret: digest }), 'invalid_client');
  }
});

test('uses are written together, never backwards, and change nothing else', async () => {
  const { db } = fixture.database;
  const [client, other, unused] = await Promise.all([addClient(db), addClient(db), addClient(db)]);
  const newer = await addSecretTo(client);
  const before = await applicationOf(client);
  const use = ({ orgId, applicationId }: TestClient, secret: string, ms: number) => ({
    orgId,
    applicationId,
    secretHash: sha256Digest(secret),
    usedAt: after(ms),
  });
  await recordSecretUses(db, [
    use(client, newer, 20),
    use(client, client.clientSecret, 10),
    use(other, other.clientSecret, 30),
    use(unused, 'a secret that is gone', 30),
  ]);
  await recordSecretUses(db, [use(client, newer, 5)]);
  const used = await applicationOf(client);
  expect(used).toEqual({
    ...before,
    secret: { ...before.secret, lastUsedAt: after(20) },
    olderSecret: { ...before.olderSecret, lastUsedAt: after(10) },
  });
  expect((await applicationOf(other)).secret.lastUsedAt).toEqual(after(30));
  expect((await applicationOf(unused)).secret.lastUsedAt).toBeNull();
});

test('a third secret is not made beside two that work; replacing ends both', async () => {
  const { db } = fixture.database;
  const client = await addClient(db);
  const newer = await addSecretTo(client);
  const given = { secretHash: sha256Digest('third'), olderEndsAt: after(5_000) };
  expect(await addSecret(db, await applicationOf(client), given, after(999))).toBe(false);
  expect(await replaceSecrets(db, await applicationOf(client), sha256Digest('third'), after(999))).toBe(true);
  const { issue } = endpointAt(after(999));
  for (const clientSecret of [client.clientSecret, newer])
    expectRefusal(await issue({ ...client, clientSecret }), 'invalid_client');
  expectToken(await issue({ ...client, clientSecret: 'third' }));
});

test('the first use of each secret is told as the first', async () => {
  const { db } = fixture.database;
  const client = await addClient(db);
  const told: boolean[] = [];
  const endpoint = createTokenEndpoint({
    db,
    settings: { accessTokenSeconds: 36_000 },
    clock: () => START,
    verifyAccount: accountVerifier(db),
    onSecretUsed: (_use, isFirst) => void told.push(isFirst),
  });
  const issue = async (clientSecret: string) =>
    endpoint.issue({ authorization: basic(client.clientId, clientSecret), body: { ...grant } });
  await issue(client.clientSecret);
  const { orgId, applicationId } = client;
  await recordSecretUses(db, [
    { orgId, applicationId, secretHash: sha256Digest(client.clientSecret), usedAt: START },
  ]);
  await issue(client.clientSecret);
  const newer = await addSecretTo(client);
  for (const secret of [client.clientSecret, newer]) await issue(secret);
  expect(told).toEqual([true, false, false, true]);
});

test('the writer writes a first use at once, and later ones when their time has come', async () => {
  const { db } = fixture.database;
  const [first, later] = [await addClient(db), await addClient(db)];
  const note = (): void => undefined;
  const writer = startSecretUses({
    db,
    log: { debug: note, info: note, warn: note, error: note },
    everyMs: 3_600_000,
  });
  const use = ({ orgId, applicationId, clientSecret }: TestClient) => ({
    orgId,
    applicationId,
    secretHash: sha256Digest(clientSecret),
    usedAt: after(1),
  });
  const lastUse = async (client: TestClient) => (await applicationOf(client)).secret.lastUsedAt;
  writer.add(use(first), true);
  await expect.poll(() => lastUse(first)).toEqual(after(1));
  writer.add(use(later), false);
  expect(await lastUse(later)).toBeNull();
  await writer.stop();
  expect(await lastUse(later)).toEqual(after(1));
});

test('10,000 secrets wait to have their use written; what could not be written is kept, unless used since', () => {
  const uses = new SecretUses();
  const use = (i: number, ms: number) => ({
    orgId: 'o',
    applicationId: String(i),
    secretHash: Buffer.alloc(32),
    usedAt: after(ms),
  });
  for (let i = 0; i < 10_001; i++) uses.add(use(i, 1));
  const taken = uses.take();
  expect(taken.length).toBe(10_000);
  uses.add(use(0, 2));
  uses.giveBack(taken.slice(0, 2));
  expect(uses.take().map(({ applicationId, usedAt }) => [applicationId, usedAt])).toEqual([
    ['0', after(2)],
    ['1', after(1)],
  ]);
});

test('an application that may only read gets tokens that only read, and those that it has follow', async () => {
  const { db } = fixture.database;
  const client = await addClient(db);
  const token = await addToken(db, client, client.ownerId);
  const key = { orgId: client.orgId, tokenHash: sha256Digest(token) };
  const scopeNow = async () => (await findActiveToken(db, key))?.scope;
  expect(await scopeNow()).toBe('read write');
  await db
    .updateTable('applications')
    .set({ scope: 'read' })
    .where('id', '=', client.applicationId)
    .execute();
  expect(await scopeNow()).toBe('read');
  const { issue } = endpointAt(START);
  for (const asked of [{}, { scope: 'read' }]) expectToken(await issue(client, asked), 'read');
  for (const scope of ['read write', 'write']) expectRefusal(await issue(client, { scope }), 'invalid_scope');
});
