import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { sql } from 'kysely';
import { listUsers } from '../../src/operations/users-list.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';
import { countStatements } from '../support/statement-count.ts';
import { refusal } from './refusal.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
  await addUsers(2500);
});
afterAll(() => api.close());

/** Some of them created in the same millisecond. */
async function addUsers(count: number): Promise<void> {
  await sql`
    insert into users (org_id, id, email, role, created_at, updated_at)
    select ${api.own.orgId}::uuid, gen_random_uuid(), ${randomUUID()} || i || '@example.com', 'user', at, at
    from generate_series(1, ${count}::int) as i,
      lateral (select ${api.clock.now()}::timestamptz + (i / 7) * interval '1 millisecond' as at) as instants
  `.execute(api.db);
}

interface Listed {
  readonly id: string;
  readonly created_at: string;
}

async function pages(query: Record<string, string | number>): Promise<{ sizes: number[]; users: Listed[] }> {
  const sizes: number[] = [];
  const users: Listed[] = [];
  for (let next: Record<string, string | number> | undefined = query; next !== undefined;) {
    const answer = await api.call('listUsers', { query: next });
    expect(answer.status).toBe(200);
    sizes.push((answer.body as Listed[]).length);
    users.push(...(answer.body as Listed[]));
    const link = /^<([^>]+)>; rel="next"$/.exec(answer.headers['link'] ?? '')?.[1];
    expect(link?.startsWith(`${api.baseUrl}/api/partners/v2.0/org/${api.own.orgId}/users?`) ?? true).toBe(
      true,
    );
    next = link === undefined ? undefined : Object.fromEntries(new URL(link).searchParams);
  }
  return { sizes, users };
}

test('the whole list holds everybody once, oldest first, without a Link', async () => {
  const answer = await api.call('listUsers');
  const users = answer.body as Listed[];
  expect([answer.status, users.length, answer.headers['link']]).toEqual([200, 2503, undefined]);
  expect(new Set(users.map(({ id }) => id)).size).toBe(2503);
  expect(users).toEqual(users.toSorted((a, b) => compare(a, b)));
});

test('pages lead through the same list', async () => {
  const whole = (await api.call('listUsers')).body as Listed[];
  const { sizes, users } = await pages({ limit: 500 });
  expect(sizes).toEqual([500, 500, 500, 500, 500, 3]);
  expect(users).toEqual(whole);
  const exact = await pages({ limit: 1, after: cursorOf(whole[2501]) });
  expect([exact.sizes, exact.users]).toEqual([[1], whole.slice(2502)]);
  const byCursorAlone = await pages({ after: cursorOf(whole[999]) });
  expect([byCursorAlone.sizes, byCursorAlone.users]).toEqual([[1000, 503], whole.slice(1000)]);
});

test('the next page keeps include_deleted', async () => {
  const gone = (await api.call('createUser', { body: { email: 'gone@example.com', role: 'user' } }))
    .body as Listed;
  await api.call('deleteUser', { path: { user_id: gone.id } });
  const { users } = await pages({ limit: 1000, include_deleted: 'true' });
  expect([users.length, users.some(({ id }) => id === gone.id)]).toEqual([2504, true]);
});

test('a cursor that the list has not issued is refused', async () => {
  const forged = [
    'x',
    '%00',
    Buffer.from('1~2').toString('base64url'),
    `${cursorOf(undefined)}=`,
    ` ${cursorOf(undefined)}`,
  ];
  for (const after of forged) {
    const answer = await api.call('listUsers', { query: { after } });
    expect(refusal(answer)).toEqual([422, 'validation_failed', 'after cursor_invalid']);
  }
  const limits = await Promise.all(
    [0, 1001, 'many'].map((limit) => api.call('listUsers', { query: { limit } })),
  );
  expect(limits.map(refusal)).toEqual([
    [422, 'validation_failed', 'limit minimum'],
    [422, 'validation_failed', 'limit maximum'],
    [422, 'validation_failed', 'limit type'],
  ]);
});

/** The list as the operation returns it, before any of it is sent. */
function ask(query: { readonly limit?: number; readonly after?: string } = {}) {
  const { admin, orgId } = api.own;
  const actor = {
    userId: admin.id,
    orgId,
    partnerId: orgId,
    role: admin.role,
    scope: 'read',
    applicationId: '',
    tokenDigest: '',
  };
  const context = {
    ...api.services,
    clock: api.clock.now,
    now: api.clock.now(),
    requestId: 'test',
    actor,
    orgId,
  };
  const path = { org_id: orgId };
  return listUsers(context, {
    path,
    query: { include_deleted: false, ...query },
    headers: {},
    body: undefined,
  });
}

test('a long page is read as the client reads on, once it has its share and it is known who is on it', async () => {
  const whole = (await api.call('listUsers')).body as Listed[];
  const statements = countStatements(api.pool).started;
  const { body, headers } = await ask({ limit: 250, after: cursorOf(whole[9]) });
  expect(statements()).toBe(0);
  const read: string[] = [];
  for await (const user of body) {
    read.push(user.id);
    expect(statements()).toBe(1 + Math.ceil(read.length / 100));
    expect(typeof headers === 'function' && headers()['Link']).toContain(cursorOf(whole[259]));
  }
  expect(read).toEqual(whole.slice(10, 260).map(({ id }) => id));
});

test('a long page neither skips nor repeats anybody when users come and go while it is sent', async () => {
  const whole = (await api.call('listUsers')).body as Listed[];
  const { body } = await ask({ limit: 200, after: cursorOf(whole[999]) });
  if (!(Symbol.asyncIterator in body)) throw new Error('The page is not streamed.');
  const users = body[Symbol.asyncIterator]();
  const read: string[] = [];
  const readOn = async (): Promise<boolean> => {
    const { done, value } = await users.next();
    if (done !== true) read.push(value.id);
    return done !== true;
  };
  // With the first of them it is known who is on it.
  await readOn();
  const gone = whole[1150]?.id ?? '';
  const early = new Date(whole[1100]?.created_at ?? 0);
  const added = await api.db
    .insertInto('users')
    .values({
      org_id: api.own.orgId,
      id: randomUUID(),
      email: 'early@example.com',
      role: 'user',
      created_at: early,
      updated_at: early,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await api.call('deleteUser', { path: { user_id: gone } });
  while (await readOn());
  const expected = whole.slice(1000, 1200).map(({ id }) => id);
  expect(read).toEqual(expected.filter((id) => id !== gone));
  await api.call('deleteUser', { path: { user_id: added.id } });
  await addUsers(1);
});

test('a long list is read as the client reads on', async () => {
  const statements = countStatements(api.pool).started;
  const { body } = await ask();
  expect(statements()).toBe(0);
  let read = 0;
  for await (const user of body) {
    expect(user.org_id).toBe(api.own.orgId);
    read += 1;
    expect(statements()).toBe(Math.ceil(read / 100));
  }
  expect([read, statements()]).toEqual([2503, 26]);
});

test('slow readers of a long list keep no connection from others', async () => {
  await addUsers(20_000);
  const url = `${api.baseUrl}/api/partners/v2.0/org/${api.own.orgId}/users`;
  const headers = { authorization: `Bearer ${api.own.admin.token}` };
  // More of them than the pool has connections, all stopped after the first bytes.
  const readers = await Promise.all(Array.from({ length: 12 }, () => opened(url, headers)));
  const answer = await api.call('listUsers', { query: { limit: 1 } });
  expect(answer.status).toBe(200);
  const [first, ...others] = readers;
  for (const reader of others) reader.destroy();
  const chunks: Buffer[] = [];
  for await (const chunk of first ?? []) chunks.push(chunk as Buffer);
  expect((JSON.parse(Buffer.concat(chunks).toString()) as Listed[]).length).toBe(22_503);
});

/** The answer after its head, not read any further. */
function opened(url: string, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, resolve).once('error', reject);
  });
}

function compare(a: Listed, b: Listed): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

function cursorOf(user: Listed | undefined): string {
  const at = new Date(user?.created_at ?? 0).getTime();
  return Buffer.from(`${at}~${user?.id ?? randomUUID()}`).toString('base64url');
}
