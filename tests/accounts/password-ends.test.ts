import { afterAll, beforeAll, expect, test } from 'vitest';
import { changePassword, issueInitialPassword } from '../../src/accounts/passwords.ts';
import { createSession, createSessionMemory, replaceSession } from '../../src/accounts/sessions.ts';
import type { VerifiedAccount } from '../../src/accounts/sign-in.ts';
import { newAccessToken, sha256Digest } from '../../src/domain/security/credentials.ts';
import type { GrantType } from '../../src/domain/security/grant-types.ts';
import { createTokenEndpoint } from '../../src/oauth/token-endpoint.ts';
import { findActiveToken, insertAccessTokens } from '../../src/queries/accounts/access-tokens.ts';
import { addAccount, addClient, basic, START } from '../oauth/fixture.ts';
import type { TestClient } from '../oauth/fixture.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { hashCheaply } from '../support/password-hashes.ts';
import { givePassword } from '../support/usernames.ts';
import { accountVerifier } from '../support/verifier.ts';

let database: TestDatabase;
let client: TestClient;
let person: { orgId: string; userId: string };
const username = 'person@ends.example';
const password = 'the password before';
beforeAll(async () => {
  database = await testDatabase();
  client = await addClient(database.db, { grantType: 'password' });
  const userId = await addAccount(database.db, client.orgId, username, password);
  person = { orgId: client.orgId, userId };
});
afterAll(() => database.close());

async function addToken(grantType: GrantType): Promise<Buffer> {
  const tokenHash = sha256Digest(newAccessToken(client.orgId));
  const expiresAt = new Date(START.getTime() + 36_000_000);
  const { applicationId } = client;
  const token = {
    ...person,
    tokenHash,
    applicationId,
    grantType,
    scope: 'read',
    createdAt: START,
    expiresAt,
  };
  await insertAccessTokens(database.db, [token]);
  return tokenHash;
}

const find = (tokenHash: Buffer) => findActiveToken(database.db, { orgId: client.orgId, tokenHash });

async function verified(word: string): Promise<VerifiedAccount> {
  const account = await accountVerifier(database.db)(username, word);
  if (account === undefined) throw new Error('The password is wrong.');
  return account;
}

/** Whatever the password is. */
async function change(word: string): Promise<void> {
  await givePassword(database.db, person, hashCheaply('whatever it is'));
  expect(await changePassword(database.db, await verified('whatever it is'), word, START)).toBeDefined();
}

const reset = () => issueInitialPassword(database.db, { orgId: person.orgId, email: username }, START);

test.each([
  ['a change', () => change('another password')],
  ['a reset', reset],
])(
  '%s of the password ends sessions and password-grant tokens, no token of an application',
  async (_, end) => {
    const session = await createSession(database.db, person, START);
    const [byPassword, bySecret] = [await addToken('password'), await addToken('client-credentials')];
    expect(await find(byPassword)).toBeDefined();
    await end();
    const sessions = createSessionMemory(database.db, { monotonicMs: () => 0 });
    expect(await sessions.find(session, '192.0.2.1', START)).toBeUndefined();
    expect(await find(byPassword)).toBeUndefined();
    expect(await find(bySecret)).toMatchObject({ userId: person.userId });
  },
);

test('a password that is reset while its change is under way stays as it was reset, and opens no session', async () => {
  await change(password);
  const before = await verified(password);
  const issued = await reset();
  if (issued === undefined) throw new Error('There is no such user.');
  expect(await changePassword(database.db, before, 'chosen by whoever knew it', START)).toBeUndefined();
  expect(await verified(issued.password.reveal())).toMatchObject({ passwordChangeRequired: true });
  const { rows } = await database.pool.query('select from portal_sessions where user_id = $1', [
    person.userId,
  ]);
  expect(rows).toEqual([]);
});

test('of two changes from one password the first one counts', async () => {
  await change(password);
  const before = await verified(password);
  const [first, second] = [
    await changePassword(database.db, before, 'the first choice', START),
    await changePassword(database.db, before, 'the second choice', START),
  ];
  expect([first, second]).toEqual([expect.stringMatching(/^[\w-]{43}$/), undefined]);
  expect(await verified('the first choice')).toMatchObject({ userId: person.userId });
});

test('a password that is changed between its check and its use opens neither a session nor a token', async () => {
  await change(password);
  const before = await verified(password);
  await change('changed in between');
  expect(await replaceSession(database.db, before, undefined, START)).toBeUndefined();
  expect(await replaceSession(database.db, await verified('changed in between'), undefined, START)).toMatch(
    /^[\w-]{43}$/,
  );
  const endpoint = createTokenEndpoint({
    db: database.db,
    settings: { accessTokenSeconds: 36_000 },
    clock: () => START,
    verifyAccount: () => Promise.resolve(before),
  });
  const body = { grant_type: 'password', username, password };
  const authorization = basic(client.clientId, client.clientSecret);
  expect(await endpoint.issue({ authorization, body })).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant' },
  });
});
