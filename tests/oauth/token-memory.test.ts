import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { suspendPartner } from '../../src/accounts/suspension.ts';
import { newAccessToken, readOrganizationId, sha256Digest } from '../../src/domain/security/credentials.ts';
import { createAuthenticator } from '../../src/oauth/authenticate.ts';
import type { Authenticator } from '../../src/oauth/authenticate.ts';
import { createTokenEndpoint } from '../../src/oauth/token-endpoint.ts';
import { TokenMemory } from '../../src/oauth/token-memory.ts';
import { findActiveToken, insertAccessTokens } from '../../src/queries/accounts/access-tokens.ts';
import { openDatabase } from '../../src/queries/connection/database.ts';
import type { Db } from '../../src/queries/connection/database.ts';
import { runInRequestScope } from '../../src/queries/connection/request-scope.ts';
import { FairShare } from '../../src/shares/fair-share.ts';
import type { TestDatabase } from '../support/database.ts';
import { testDatabase } from '../support/database.ts';
import { countStatements } from '../support/statement-count.ts';
import { accountVerifier } from '../support/verifier.ts';
import { addClient, addToken, basic, softDelete, START } from './fixture.ts';
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

const digestOf = (value: string): string => sha256Digest(value).toString('hex');
const presented = (value: string) => ({ token: value, tokenDigest: digestOf(value) });
const ownerOf = (value: string) => ({ orgId: client.orgId, tokenDigest: digestOf(value) });

const refused = { code: 'invalid_token' };

/** Counts the statements of an authenticator of its own. */
function counted(): { authenticator: Authenticator; db: Db; statements: () => number } {
  const { db, pool } = database;
  const statements = countStatements(pool).started;
  const turns = new FairShare({ capacity: 4, asOfRight: 2, atMost: 2, maxWaiting: 200 });
  return {
    authenticator: createAuthenticator({ db, clock: () => now, monotonicMs: () => elapsedMs, turns }),
    db,
    statements,
  };
}

describe('an unknown token', () => {
  test('costs one statement in 0.9 seconds, however often and at once it comes', async () => {
    const { authenticator: authority, statements } = counted();
    const unknown = `Bearer ${newAccessToken(client.orgId)}`;
    const flood = Array.from({ length: 40 }, () => authority.authenticate(unknown));
    for (const each of await Promise.allSettled(flood)) expect(each.status).toBe('rejected');
    elapsedMs = 899;
    await expect(authority.authenticate(unknown)).rejects.toMatchObject(refused);
    expect(statements()).toBe(1);
    elapsedMs = 900;
    await expect(authority.authenticate(unknown)).rejects.toMatchObject(refused);
    expect(statements()).toBe(2);
  });

  test('is forgotten for others, which evict no valid one', async () => {
    const { db, statements } = counted();
    const memory = new TokenMemory({
      db,
      checks: db,
      clock: () => now,
      monotonicMs: () => 0,
      maxUnknown: 10,
    });
    const read = async (value: string): Promise<unknown> =>
      (await memory.find(presented(value), () => 'address'))?.userId;
    const unknown = Array.from({ length: 11 }, () => newAccessToken(client.orgId));
    for (const value of [token, ...unknown]) await read(value);
    expect(statements()).toBe(12);
    expect(await Promise.all([token, ...unknown.slice(1)].map(read))).toEqual([
      client.ownerId,
      ...Array<undefined>(10).fill(undefined),
    ]);
    expect(statements()).toBe(12);
    expect(await read(unknown[0] ?? '')).toBeUndefined();
    expect(statements()).toBe(13);
  });

  test('keeps no token that is issued after it from working at once', async () => {
    const { authenticator: authority } = counted();
    await expect(authority.authenticate(`Bearer ${newAccessToken(client.orgId)}`)).rejects.toMatchObject(
      refused,
    );
    const issued = await addToken(database.db, client, client.ownerId);
    expect(await authority.authenticate(`Bearer ${issued}`)).toMatchObject({ userId: client.ownerId });
  });
});

describe('a token', () => {
  const withOrganization = (value: string, orgId: string): string => {
    const bytes = Buffer.from(value.slice('pat_'.length), 'base64url');
    Buffer.from(orgId.replaceAll('-', ''), 'hex').copy(bytes);
    return `pat_${bytes.toString('base64url')}`;
  };
  const asOfVersionBefore = async (): Promise<string> => {
    const value = `pat_${randomBytes(32).toString('base64url')}`;
    const row = { tokenHash: sha256Digest(value), orgId: client.orgId, userId: client.ownerId };
    const grant = {
      applicationId: client.applicationId,
      grantType: 'client-credentials',
      scope: 'read',
    } as const;
    const times = { createdAt: START, expiresAt: new Date(START.getTime() + 36_000_000) };
    await insertAccessTokens(database.db, [{ ...row, ...grant, ...times }]);
    return value;
  };

  test('names its organization in 43 characters', () => {
    expect(token).toMatch(/^pat_[\w-]{43}$/);
    expect(readOrganizationId(token)).toBe(client.orgId);
    expect(withOrganization(token, client.orgId)).toBe(token);
  });

  test('with the organization of another is unknown, at the cost of any other', async () => {
    const { authenticator: authority, statements } = counted();
    const other = await addClient(database.db);
    for (const orgId of [other.orgId, randomUUID()]) {
      const before = statements();
      await expect(authority.authenticate(`Bearer ${withOrganization(token, orgId)}`)).rejects.toMatchObject(
        refused,
      );
      expect(statements() - before).toBe(1);
      expect(await findActiveToken(database.db, { orgId, tokenHash: sha256Digest(token) })).toBeUndefined();
    }
  });

  test('that is none of ours is refused without a look at the table', async () => {
    const { authenticator: authority, statements } = counted();
    const before = statements();
    for (const value of ['x', `${token}=`, token.slice(0, -1), `pat_${token}`])
      await expect(authority.authenticate(`Bearer ${value}`)).rejects.toMatchObject(refused);
    expect(statements()).toBe(before);
  });

  test('as the version before issued it works until such tokens have ended', async () => {
    const older = await asOfVersionBefore();
    const end = new Date(START.getTime() + 3_600_000);
    const options = { db: database.db, clock: () => now, olderFormatUntil: end };
    const authority = () => createAuthenticator(options).authenticate(`Bearer ${older}`);
    expect(await authority()).toMatchObject({ userId: client.ownerId, orgId: client.orgId });
    now = end;
    await expect(authority()).rejects.toMatchObject(refused);
    await expect(enter(older)).rejects.toMatchObject(refused);
  });
});

test('of more tokens than are remembered the first is read again', async () => {
  const { db, statements } = counted();
  const memory = new TokenMemory({ db, checks: db, clock: () => now, monotonicMs: () => 0 });
  const values = [token];
  await memory.find(presented(token), () => 'address');
  for (let index = 0; index < 10_000; index += 1) values.push(newAccessToken(client.orgId));
  await sql`
    insert into access_tokens (token_hash, org_id, user_id, application_id, grant_type, scope, created_at, expires_at)
    select sha256(value::bytea), org_id, user_id, application_id, grant_type, scope, created_at, expires_at
    from access_tokens, unnest(${values.slice(1)}::text[]) as value where token_hash = ${sha256Digest(token)}
  `.execute(db);
  const before = statements();
  expect((await memory.readTogether(values.slice(1).map(ownerOf))).size).toBe(10_000);
  const read = async (value: string): Promise<number> => {
    await memory.find(presented(value), () => 'address');
    return statements() - before;
  };
  expect([await read(values[10_000] ?? ''), await read(token)]).toEqual([1, 2]);
});

describe('tokens that are read together', () => {
  test('cost one statement, and their next requests none', async () => {
    const values = [token];
    while (values.length < 50) values.push(await addToken(database.db, client, client.ownerId));
    const { authenticator: authority, statements } = counted();
    const actors = await authority.findActors(values.map(ownerOf));
    expect(statements()).toBe(1);
    expect([...actors.keys()].sort()).toEqual(values.map(digestOf).sort());
    for (const value of values) {
      expect(await authority.authenticate(`Bearer ${value}`)).toEqual(actors.get(digestOf(value)));
    }
    expect(statements()).toBe(1);
  });

  test('are left out when they are unknown, expired, or of a suspended partner', async () => {
    expect([...(await authenticator.findActors([ownerOf(newAccessToken(client.orgId))]))]).toEqual([]);
    now = new Date(START.getTime() + 36_000_000);
    expect([...(await authenticator.findActors([ownerOf(token)]))]).toEqual([]);
    now = START;
    expect([...(await authenticator.findActors([ownerOf(token)])).keys()]).toEqual([digestOf(token)]);
    await suspendPartner(database.db, client.orgId, now);
    expect([...(await authenticator.findActors([ownerOf(token)]))]).toEqual([]);
  });

  test('are not remembered when one was read later', async () => {
    const reading = authenticator.findActors([ownerOf(token)]);
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
    const reading = authenticator.findActors([ownerOf(token)]);
    authenticator.invalidateCachedTokensOf(client.ownerId);
    await reading;
    await softDelete(database.db, client.ownerId);
    await expect(enter()).rejects.toMatchObject(refused);
  });
});

test('a token that was found before is read in the share of its partner, also after a read that failed', async () => {
  const shares: string[] = [];
  let isFull = false;
  const requests = openDatabase({
    connection: database.connection,
    acquireShare: (partnerId) => {
      shares.push(partnerId);
      return isFull ? Promise.reject(new Error('full')) : Promise.resolve(() => undefined);
    },
  });
  try {
    const authority = createAuthenticator({
      db: requests.db,
      checks: database.db,
      clock: () => now,
      monotonicMs: () => elapsedMs,
    });
    const call = (value: string) =>
      runInRequestScope(
        () => false,
        () => authority.authenticate(`Bearer ${value}`),
      );
    const listened = await addToken(database.db, client, client.ownerId);
    await authority.findActors([ownerOf(listened)]);
    await call(token);
    elapsedMs = 900;
    isFull = true;
    await expect(call(token)).rejects.toThrow('full');
    isFull = false;
    await call(token);
    await call(listened);
    authority.invalidateCachedTokensOf(client.ownerId);
    await call(token);
    expect(shares).toEqual(['anonymous', ...Array<string>(4).fill(client.orgId)]);
  } finally {
    await requests.close();
  }
});

test('a token that this process has issued waits for no turn of its address', async () => {
  const { db } = database;
  const turns = { run: () => Promise.reject(new Error('no turn')) };
  const authority = createAuthenticator({ db, clock: () => now, monotonicMs: () => elapsedMs, turns });
  const endpoint = createTokenEndpoint({
    db,
    settings: { accessTokenSeconds: 36_000 },
    clock: () => now,
    verifyAccount: accountVerifier(db),
    rememberIssued: (digest, issued) => authority.rememberIssued(digest, issued),
  });
  const authorization = basic(client.clientId, client.clientSecret);
  const { body } = await endpoint.issue({ authorization, body: { grant_type: 'client_credentials' } });
  expect(await authority.authenticate(`Bearer ${body?.['access_token']}`, () => 'flood')).toMatchObject({
    userId: client.ownerId,
  });
  await expect(authority.authenticate(`Bearer ${token}`, () => 'flood')).rejects.toThrow('no turn');
});
