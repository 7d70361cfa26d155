// Users that are created at once: they are stored in batches, and each caller has its own answer.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeQuotas } from '../../src/accounts/quotas.ts';
import { countUse } from '../../src/queries/accounts/quotas.ts';
import { startApi } from '../support/api.ts';
import type { Api, Company } from '../support/api.ts';
import type { Answer } from '../support/api-client.ts';
import { refusal } from './refusal.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
  // Tokens are remembered, and the shards of the partners have their parts of the quota.
  for (const company of [api.own, api.foreign]) expect((await create(company)).status).toBe(201);
});
afterAll(() => api.close());

const create = (company: Company, body: object = {}): Promise<Answer> =>
  api.call('createUser', {
    path: { org_id: company.orgId },
    token: company.admin.token,
    body: { email: `${randomUUID()}@example.com`, role: 'user', ...body },
  });

const countUsers = async (): Promise<number> => {
  const { orgId } = api.own;
  const rows = await api.db.selectFrom('users').select('id').where('org_id', '=', orgId).execute();
  // Those who were written straight into the table are not counted.
  return rows.length - 3;
};

test('of fifty the one that collides is 409, and the others get what they have sent', async () => {
  await create(api.own, { external_user_id: 'taken' });
  const bodies = Array.from({ length: 50 }, (_, i) => ({
    email: `At.Once.${i}@example.com`,
    role: i % 2 === 0 ? 'user' : 'staff',
    external_user_id: i === 20 ? 'taken' : `"own" {${i}},\\ NULL`,
    first_name: i % 3 === 0 ? null : `Ñame ${i}`,
    town: 'NULL',
    ...(i % 4 === 0 ? { latitude: 1 - i / 7, longitude: i * 1e-9 } : {}),
  }));
  const answers = await Promise.all(bodies.map((body) => create(api.own, body)));
  const [refused] = answers.splice(20, 1);
  bodies.splice(20, 1);
  expect(refused === undefined ? [] : refusal(refused)).toEqual([
    409,
    'external_user_id_taken',
    '/external_user_id external_user_id_taken',
  ]);
  const reads = await Promise.all(
    answers.map(({ body }) => api.call('getUser', { path: { user_id: body.id as string } })),
  );
  for (const [i, answer] of answers.entries()) {
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject(bodies[i] ?? {});
    expect(answer.headers['location']).toContain(answer.body.id);
    expect(reads[i]?.text).toBe(answer.text);
  }
  const names = await api.db
    .selectFrom('users')
    .select('email')
    .where('email', 'like', 'At.Once.%')
    .execute();
  expect(names).toHaveLength(49);
  expect(await countUse(api.db, api.own.orgId, 'users')).toBe(await countUsers());
});

test('of twins one is created, and the others among them are 409', async () => {
  const twin = { email: 'Twin@example.com' };
  const bodies = Array.from({ length: 30 }, (_, i) => (i % 3 === 0 ? twin : {}));
  const answers = await Promise.all(bodies.map((body) => create(api.own, body)));
  const ofTwins = answers.filter((_, i) => i % 3 === 0);
  const others = answers.filter((_, i) => i % 3 !== 0);
  expect(ofTwins.map(({ status }) => status).toSorted()).toEqual([201, ...Array<number>(9).fill(409)]);
  expect(ofTwins.find(({ status }) => status === 409)?.body.code).toBe('email_taken');
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set([201]));
  expect(await countUse(api.db, api.own.orgId, 'users')).toBe(await countUsers());
});

test('those for whom the quota has room are created, and the others are told that it is reached', async () => {
  const room = 23;
  const quota = (await countUse(api.db, api.own.orgId, 'users')) + room;
  await changeQuotas(api.db, api.own.orgId, new Map([['users', quota]]));
  const answers = await Promise.all(Array.from({ length: 50 }, () => create(api.own)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(room);
  const refused = answers.filter(({ status }) => status !== 201);
  for (const answer of refused) expect(refusal(answer)).toEqual([422, 'quota_reached']);
  expect(new Set(refused.map(({ body }) => body.request_id as string)).size).toBe(50 - room);
  expect(await countUse(api.db, api.own.orgId, 'users')).toBe(quota);
  expect(await countUsers()).toBe(quota);
  await changeQuotas(api.db, api.own.orgId, new Map([['users', undefined]]));
});

test("nobody waits for a lock of another organization's, nor for a shard that somebody has locked", async () => {
  const { orgId } = api.own;
  const ours = await api.db.transaction().execute(async (tx) => {
    await sql`select from user_counts where org_id = ${orgId} for update`.execute(tx);
    const waiting = Array.from({ length: 12 }, () => create(api.own));
    const others = await Promise.all(Array.from({ length: 12 }, () => create(api.foreign)));
    expect(others.map(({ status }) => status)).toEqual(Array<number>(12).fill(201));
    return { waiting };
  });
  for (const { status } of await Promise.all(ours.waiting)) expect(status).toBe(201);
  // Two batches are under way at most.
  await api.db.transaction().execute(async (tx) => {
    await sql`select from user_counts where org_id = ${orgId} and shard between 1 and 62 for update`.execute(
      tx,
    );
    const answers = await Promise.all(Array.from({ length: 12 }, () => create(api.own)));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(12).fill(201));
  });
});
