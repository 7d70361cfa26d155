import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertOrganization } from '../../src/queries/accounts/organizations.ts';
import { insertSignupRequest } from '../../src/queries/accounts/signup-requests.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { partner } from './partner.ts';

const START = Date.parse('2026-11-21T10:00:00.000Z');
let database: TestDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  database = await testDatabase();
  env = { DATABASE_URL: database.url, ENCRYPTION_KEY: randomBytes(32).toString('base64') };
});
afterAll(() => database.close());

test('the operator lists sign-up requests page by page, newest first', async () => {
  expect((await partner(['signup', 'list'], env)).output).toBe('No sign-up request.\n');
  const sent = ['a@b.example', 'b@b.example', 'c\n\u001b[2J@b.example'].map((email, index) => ({
    email,
    url: `https://${index}.example/\u009b\u007f\u202e\u{e0001}`,
    inviteToken: randomUUID(),
    createdAt: new Date(START + index),
  }));
  for (const { createdAt, ...request } of sent) await insertSignupRequest(database.db, request, createdAt);
  const newest = sent.toReversed();

  const first = await partner(['signup', 'list', '--limit', '2', '--json'], env);
  const page = JSON.parse(first.output) as { items: Record<string, string>[]; next: string };
  expect([first.code, page]).toEqual([
    0,
    {
      items: newest.slice(0, 2).map(({ email, url, inviteToken, createdAt }) => ({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        email,
        url,
        invite_token: inviteToken,
        created_at: createdAt.toISOString(),
      })),
      next: expect.any(String),
    },
  ]);
  const second = await partner(['signup', 'list', '--json', '--after', page.next], env);
  expect(JSON.parse(second.output)).toMatchObject({ items: [{ email: 'a@b.example' }], next: null });

  expect(first.output).not.toMatch(/[\p{Cf}\u007f-\u009f]/u);
  const plain = await partner(['signup', 'list', '--limit', '2'], env);
  const escaped = '\\u009b\\u007f\\u202e\\udb40\\udc01';
  const lines = plain.output.trimEnd().split('\n');
  expect(lines).toEqual([
    `2026-11-21T10:00:00.002Z  ${newest[0]?.inviteToken}  "c\\n\\u001b[2J@b.example"  "https://2.example/${escaped}"`,
    `2026-11-21T10:00:00.001Z  ${newest[1]?.inviteToken}  "b@b.example"  "https://1.example/${escaped}"`,
    `Older ones: partner signup list --after ${page.next}`,
  ]);
});

test('the operator lists partners, without their simulation organizations, page by page, newest first', async () => {
  expect((await partner(['org', 'list'], env)).output).toBe('No partner.\n');
  const made = ['One', 'Two \u001b[2J', 'Three'].map((name, index) => ({
    id: randomUUID(),
    name,
    kind: 'partner' as const,
    parentOrgId: null,
    createdAt: new Date(START + index),
  }));
  for (const organization of made) await insertOrganization(database.db, organization);
  const [one, two, three] = made.map(({ id }) => id);
  const simulation = {
    id: randomUUID(),
    name: 'Simulated',
    kind: 'simulation',
    parentOrgId: one ?? '',
  } as const;
  await insertOrganization(database.db, { ...simulation, createdAt: new Date(START + 9) });
  await partner(['org', 'suspend', two ?? ''], env);

  const plain = await partner(['org', 'list', '--limit', '2'], env);
  const [first, second, more = '', ...rest] = plain.output.trimEnd().split('\n');
  expect([plain.code, first, rest]).toEqual([0, `2026-11-21T10:00:00.002Z  ${three}  "Three"`, []]);
  expect(second).toMatch(`2026-11-21T10:00:00.001Z  ${two}  "Two \\u001b[2J"  suspended since 20`);
  const [, cursor = ''] = /^Older ones: partner org list --after (\S+)$/.exec(more) ?? [];
  const last = await partner(['org', 'list', '--after', cursor, '--json'], env);
  expect(JSON.parse(last.output)).toEqual({
    items: [{ id: one, name: 'One', created_at: '2026-11-21T10:00:00.000Z', suspended_at: null }],
    next: null,
  });
});
