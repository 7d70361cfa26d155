import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { KyselyPlugin } from 'kysely';
import { suspendPartner } from '../../src/accounts/suspension.ts';
import { sha256Digest, newAccessToken } from '../../src/domain/security/credentials.ts';
import { createAuthenticator } from '../../src/oauth/authenticate.ts';
import type { Authenticator } from '../../src/oauth/authenticate.ts';
import { insertAccessToken } from '../../src/queries/accounts/access-tokens.ts';
import type { TestDatabase } from '../support/database.ts';
import { testDatabase } from '../support/database.ts';
import { addClient, softDelete, START } from './fixture.ts';
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
  token = await addToken(client.ownerId);
});

async function addToken(userId: string): Promise<string> {
  const value = newAccessToken();
  await insertAccessToken(database.db, {
    tokenHash: sha256Digest(value),
    orgId: client.orgId,
    userId,
    applicationId: client.applicationId,
    grantType: 'client-credentials',
    scope: 'read',
    createdAt: START,
    expiresAt: new Date(START.getTime() + 36_000_000),
  });
  return value;
}

const enter = (value = token): ReturnType<Authenticator['authenticate']> =>
  authenticator.authenticate(`Bearer ${value}`);

const refused = { code: 'invalid_token' };

describe('tokens that are read together', () => {
  const digestOf = (value: string): string => sha256Digest(value).toString('hex');

  test('cost one statement, and their next requests none', async () => {
    const values = [token];
    while (values.length < 50) values.push(await addToken(client.ownerId));
    let statements = 0;
    const counter: KyselyPlugin = {
      transformQuery: ({ node }) => {
        statements += 1;
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    };
    const db = database.db.withPlugin(counter);
    const counted = createAuthenticator({ db, clock: () => now, monotonicMs: () => elapsedMs });
    const actors = await counted.findActors(values.map(digestOf));
    expect(statements).toBe(1);
    expect([...actors.keys()].sort()).toEqual(values.map(digestOf).sort());
    for (const value of values) {
      expect(await counted.authenticate(`Bearer ${value}`)).toEqual(actors.get(digestOf(value)));
    }
    expect(statements).toBe(1);
  });

  test('are left out when they are unknown, expired, or of a suspended partner', async () => {
    expect([...(await authenticator.findActors([digestOf(newAccessToken())]))]).toEqual([]);
    now = new Date(START.getTime() + 36_000_000);
    expect([...(await authenticator.findActors([digestOf(token)]))]).toEqual([]);
    now = START;
    expect([...(await authenticator.findActors([digestOf(token)])).keys()]).toEqual([digestOf(token)]);
    await suspendPartner(database.db, client.orgId, now);
    expect([...(await authenticator.findActors([digestOf(token)]))]).toEqual([]);
  });

  test('are not remembered when one was read later', async () => {
    const reading = authenticator.findActors([digestOf(token)]);
    elapsedMs = 100;
    await enter();
    await reading;
    await softDelete(database.db, client.ownerId);
    elapsedMs = 950;
    expect(await enter()).toMatchObject({ userId: client.ownerId });
    elapsedMs = 1000;
    await expect(enter()).rejects.toMatchObject(refused);
  });

  test('are not remembered when a change was announced meanwhile', async () => {
    const reading = authenticator.findActors([digestOf(token)]);
    authenticator.invalidateCachedTokensOf(client.ownerId);
    await reading;
    await softDelete(database.db, client.ownerId);
    await expect(enter()).rejects.toMatchObject(refused);
  });
});
