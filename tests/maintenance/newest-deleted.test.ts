// A deletion frees its quota at once, so that a partner may delete without end: the newest of what an organization deleted are kept.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSettings } from '../../src/config/settings.ts';
import { removeExpiredData } from '../../src/maintenance/sweeper.ts';
import { startApi } from '../support/api.ts';
import type { Api, Company } from '../support/api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const KEPT = { users: 2, webhooks: 3 };

async function createAndDelete({ orgId, admin }: Company): Promise<void> {
  const [token, path] = [admin.token, { org_id: orgId }];
  const user = { email: `${randomUUID()}@example.com`, role: 'user' };
  const webhook = { url: 'https://a.example/', topics: ['device.information'] };
  const { body: created } = await api.call('createUser', { token, path, body: user });
  const { body: hook } = await api.call('createWebhook', { token, path, body: webhook });
  api.clock.advance(1);
  const user_id = created.id as string;
  expect((await api.call('deleteUser', { token, path: { ...path, user_id } })).status).toBe(204);
  const webhook_id = hook.id as string;
  expect((await api.call('deleteWebhook', { token, path: { ...path, webhook_id } })).status).toBe(204);
}

const deletedAt = async (table: 'users' | 'webhooks', { orgId }: Company): Promise<Date[]> =>
  (
    await api.db
      .selectFrom(table)
      .select('deleted_at')
      .where('org_id', '=', orgId)
      .where('deleted_at', 'is not', null)
      .orderBy('deleted_at')
      .execute()
  ).map(({ deleted_at }) => deleted_at as Date);

test('the oldest of more deleted users and webhooks of an organization go, and others keep theirs', async () => {
  const { own, foreign } = api;
  for (let count = 0; count < 6; count += 1) await createAndDelete(own);
  for (let count = 0; count < 2; count += 1) await createAndDelete(foreign);
  const all = () =>
    Promise.all(
      [own, foreign].map(async (each) => ({
        users: await deletedAt('users', each),
        webhooks: await deletedAt('webhooks', each),
      })),
    );
  const [ours, theirs] = await all();
  expect([ours?.users.length, ours?.webhooks.length]).toEqual([6, 6]);
  const days = readSettings({}).retentionDays;
  const options = { db: api.db, clock: api.clock.now, days, rateLimitWindowMs: 60_000, batch: 2 };
  await removeExpiredData({ ...options, keptDeleted: KEPT }, () => false);
  const newest = { users: ours?.users.slice(-KEPT.users), webhooks: ours?.webhooks.slice(-KEPT.webhooks) };
  expect(await all()).toEqual([newest, theirs]);
});
