// Usernames are unique on the server: no organization may take those that another one needs.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueInitialPassword } from '../../src/accounts/passwords.ts';
import { listUsernameCandidates, withFreeUsername } from '../../src/accounts/usernames.ts';
import { createPasswordHasher } from '../../src/domain/security/passwords.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { giveUsername } from '../support/usernames.ts';
import { addOrganization, addUser } from '../oauth/fixture.ts';

const HASHER = createPasswordHasher(() => Promise.resolve(new Uint8Array(32)));

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const NOW = new Date('2026-06-15T12:00:00.000Z');
const ORG = '11111111-2222-4333-8444-555555555555';

test('the forms of an email, the last ones with drawn digits', () => {
  const drawn = [7, 9_999_999_999, 1, 2, 3];
  const bounds: number[] = [];
  const chance = (below: number): number => {
    bounds.push(below);
    return drawn[bounds.length - 1] ?? 0;
  };
  expect([...listUsernameCandidates('a@b.example', ORG.toUpperCase(), chance)]).toEqual([
    'a@b.example',
    'a+11111111@b.example',
    'a+11111111-2@b.example',
    'a+11111111-3@b.example',
    'a+11111111-4@b.example',
    'a+11111111-0000000007@b.example',
    'a+11111111-9999999999@b.example',
    'a+11111111-0000000001@b.example',
    'a+11111111-0000000002@b.example',
    'a+11111111-0000000003@b.example',
  ]);
  expect(bounds).toEqual([1, 2, 3, 4, 5].map(() => 10_000_000_000));
});

test.each([
  ['a+22222222@b.example', 'a+22222222+11111111@b.example'],
  ['a+ABCDEF01@b.example', 'a+ABCDEF01+11111111@b.example'],
  ['a+22222222-17@b.example', 'a+22222222-17+11111111@b.example'],
  ['a+11111111@b.example', 'a+11111111@b.example'],
  ['a+news@b.example', 'a+news@b.example'],
  ['a+222222222@b.example', 'a+222222222@b.example'],
])('%s becomes %s', (email, username) => {
  expect(listUsernameCandidates(email, ORG).next().value).toBe(username);
});

test('no organization can take the usernames that a person of another one may get', async () => {
  const [victim, attacker] = [await addOrganization(database.db), await addOrganization(database.db)];
  const email = 'ceo@victim.example';
  for (const taken of listUsernameCandidates(email, victim)) {
    await addUser(database.db, attacker, 'user', taken);
    const issued = await issueInitialPassword(database.db, { orgId: attacker, email: taken }, NOW, HASHER);
    expect(issued?.username).toBe(taken === email ? taken : taken.replace('@', `+${attacker.slice(0, 8)}@`));
  }
  await addUser(database.db, victim, 'admin', email);
  const issued = await issueInitialPassword(database.db, { orgId: victim, email }, NOW, HASHER);
  expect(issued?.username).toBe(`ceo+${victim.slice(0, 8)}@victim.example`);
});

test('what is taken is passed by, up to digits that nobody could foresee', async () => {
  const orgId = await addOrganization(database.db);
  const email = 'desk@b.example';
  const userId = await addUser(database.db, orgId, 'user', email);
  const chance = (): number => 42;
  const drawn = `desk+${orgId.slice(0, 8)}-0000000042@b.example`;
  for (const taken of new Set(listUsernameCandidates(email, orgId, chance))) {
    if (taken === drawn) break;
    const holderId = await addUser(database.db, orgId, 'user', `of-${taken}`);
    await giveUsername(database.db, { orgId, userId: holderId }, taken);
  }
  const give = (username: string) => giveUsername(database.db, { orgId, userId }, username);
  await withFreeUsername(email, orgId, give, chance);
  const row = database.db.selectFrom('users').select('username').where('id', '=', userId);
  expect(await row.executeTakeFirst()).toEqual({ username: drawn });
});
