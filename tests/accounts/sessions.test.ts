// What a process remembers of session cookies: whose those are that it has found, and that made-up ones are unknown.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createSession,
  createSessionMemory,
  endSession,
  replaceSession,
} from '../../src/accounts/sessions.ts';
import { newOrganizationCredential, sha256Digest } from '../../src/domain/security/credentials.ts';
import { findPortalSession, insertPortalSession } from '../../src/queries/accounts/portal-sessions.ts';
import { openDatabase } from '../../src/queries/connection/database.ts';
import { runInRequestScope } from '../../src/queries/connection/request-scope.ts';
import { FairShare } from '../../src/shares/fair-share.ts';
import { addAccount, addClient, START } from '../oauth/fixture.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { countStatements } from '../support/statement-count.ts';
import { accountVerifier } from '../support/verifier.ts';

let database: TestDatabase;
let person: { readonly orgId: string; readonly userId: string };
beforeAll(async () => {
  database = await testDatabase();
  const { orgId } = await addClient(database.db);
  person = { orgId, userId: await addAccount(database.db, orgId, 'person@sessions.example', 'a password') };
});
afterAll(() => database.close());

test('an unknown cookie costs one statement in 0.9 seconds, however often and at once it comes', async () => {
  let elapsedMs = 0;
  const turns = new FairShare({ capacity: 4, asOfRight: 1, atMost: 1, maxWaiting: 200 });
  const { find } = createSessionMemory(database.db, { turns, monotonicMs: () => elapsedMs });
  const { started } = countStatements(database.pool);
  const cookie = newOrganizationCredential(person.orgId);
  const flood = Array.from({ length: 40 }, () => find(cookie, '192.0.2.1', START));
  expect(await Promise.all(flood)).toEqual(Array(40).fill(undefined));
  elapsedMs = 899;
  await find(cookie, '192.0.2.1', START);
  expect(started()).toBe(1);
  elapsedMs = 900;
  await find(cookie, '192.0.2.1', START);
  expect(started()).toBe(2);
});

test('a cookie that is given out after unknown ones came opens its session at once', async () => {
  const { find } = createSessionMemory(database.db, { monotonicMs: () => 0 });
  expect(await find(newOrganizationCredential(person.orgId), '192.0.2.1', START)).toBeUndefined();
  const cookie = await createSession(database.db, person, START);
  expect(await find(cookie, '192.0.2.1', START)).toMatchObject({ userId: person.userId });
  const elsewhere = { orgId: randomUUID(), sessionHash: sha256Digest(cookie) };
  expect(await findPortalSession(database.db, elsewhere, START)).toBeUndefined();
  await endSession(database.db, { token: cookie, orgId: elsewhere.orgId });
  expect(await find(cookie, '192.0.2.1', START)).toBeDefined();
  await endSession(database.db, { token: cookie });
  expect(await find(cookie, '192.0.2.1', START)).toBeUndefined();
});

test('a cookie as the version before made it opens its session until such cookies have ended', async () => {
  const cookie = randomBytes(32).toString('base64url');
  const end = new Date(START.getTime() + 3_600_000);
  await insertPortalSession(database.db, {
    ...person,
    sessionHash: sha256Digest(cookie),
    csrfSecret: 'secret',
    createdAt: START,
    expiresAt: new Date(end.getTime() + 1),
  });
  const sessions = createSessionMemory(database.db, { monotonicMs: () => 0, olderFormatUntil: end });
  expect(await sessions.find(cookie, '192.0.2.1', START)).toMatchObject({ userId: person.userId });
  const later = createSessionMemory(database.db, { monotonicMs: () => 0, olderFormatUntil: end });
  expect(await later.find(cookie, '192.0.2.1', end)).toBeUndefined();
  await endSession(database.db, { token: cookie, orgId: person.orgId });
  const after = createSessionMemory(database.db, { monotonicMs: () => 0, olderFormatUntil: end });
  expect(await after.find(cookie, '192.0.2.1', START)).toBeUndefined();
});

test('of more than a hundred sessions of a person those end that would end first, and no others', async () => {
  const { orgId } = person;
  const other = { orgId, userId: await addAccount(database.db, orgId, 'other@sessions.example', 'a word') };
  const busy = { orgId, userId: await addAccount(database.db, orgId, 'busy@sessions.example', 'a password') };
  const at = (seconds: number): Date => new Date(START.getTime() + seconds * 1_000);
  const kept = await createSession(database.db, other, START);
  const cookies = [];
  for (let second = 0; second < 101; second += 1)
    cookies.push(await createSession(database.db, busy, at(second)));
  const account = await accountVerifier(database.db)('busy@sessions.example', 'a password');
  if (account === undefined) throw new Error('The password is wrong.');
  const latest = (await replaceSession(database.db, account, undefined, at(200))) ?? '';
  const { find } = createSessionMemory(database.db, { monotonicMs: () => 0 });
  const isOpen = async (cookie = ''): Promise<boolean> =>
    (await find(cookie, '192.0.2.1', at(200))) !== undefined;
  const open = await Promise.all(cookies.map(isOpen));
  expect(open).toEqual([false, false, ...Array<boolean>(99).fill(true)]);
  expect([await isOpen(latest), await isOpen(kept)]).toEqual([true, true]);
});

test('a session that was found before waits for no turn of its address, also after a look-up that failed', async () => {
  const addresses: string[] = [];
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
    const turns = {
      run: <Result>(address: string, work: () => Promise<Result>): Promise<Result> => {
        addresses.push(address);
        return work();
      },
    };
    const { find } = createSessionMemory(requests.db, { turns, monotonicMs: () => 0 });
    const cookie = await createSession(database.db, person, START);
    const use = () =>
      runInRequestScope(
        () => false,
        () => find(cookie, '192.0.2.1', START),
      );
    await use();
    isFull = true;
    await expect(use()).rejects.toThrow('full');
    isFull = false;
    expect(await use()).toMatchObject({ userId: person.userId });
    expect(addresses).toEqual(['192.0.2.1']);
    expect(shares).toEqual(['anonymous', person.orgId, person.orgId]);
  } finally {
    await requests.close();
  }
});

test('a session has its partner’s turn for a minute after it was found, and none once it has ended', async () => {
  let elapsedMs = 0;
  const sessions = createSessionMemory(database.db, { monotonicMs: () => elapsedMs });
  const cookie = await createSession(database.db, person, START);
  const find = () => sessions.findProvenPartner(cookie);
  expect(find()).toBeUndefined();
  await sessions.find(cookie, '192.0.2.1', START);
  elapsedMs = 59_999;
  expect([find(), sessions.findSubject(cookie)]).toEqual([person.orgId, expect.any(String)]);
  elapsedMs = 60_000;
  // It is counted by itself all the same: others may have used its address up.
  expect([find(), sessions.findSubject(cookie)]).toEqual([undefined, expect.any(String)]);
  await sessions.find(cookie, '192.0.2.1', new Date(START.getTime() + 12 * 3_600_000 - 500));
  elapsedMs += 499;
  expect(find()).toBe(person.orgId);
  elapsedMs += 1;
  expect(find()).toBeUndefined();
  const other = await createSession(database.db, person, START);
  for (const end of [() => sessions.end(other), () => sessions.endAllOf(person.userId)]) {
    sessions.remember(other, { ...person, partnerId: person.orgId });
    expect(sessions.findProvenPartner(other)).toBe(person.orgId);
    elapsedMs += 1;
    end();
    expect(sessions.findProvenPartner(other)).toBeUndefined();
  }
});
