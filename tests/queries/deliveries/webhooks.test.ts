import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decrypt, webhookSecretContext } from '../../../src/domain/security/encryption.ts';
import { softDeleteWebhook, updateWebhook } from '../../../src/queries/deliveries/webhook-changes.ts';
import {
  countWebhooks,
  findWebhook,
  findWebhookWithSecret,
  listWebhooks,
} from '../../../src/queries/deliveries/webhooks.ts';
import { testDatabase, type TestDatabase } from '../../support/database.ts';
import {
  addOrganization,
  addWebhook,
  TEST_KEYRING,
  rotateTestSecret,
} from '../../support/webhook-fixture.ts';

const now = new Date('2026-03-01T13:00:00Z');
let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const remove = (orgId: string, id: string) =>
  database.db.transaction().execute((tx) => softDeleteWebhook(tx, orgId, id, now));

test('a webhook is found in its organization alone, without its secret', async () => {
  const { db } = database;
  const orgId = await addOrganization(db);
  const { id } = await addWebhook(db, orgId, 'https://partner.example/', ['device.information']);
  expect(await findWebhook(db, orgId, id)).toEqual({
    id,
    org_id: orgId,
    url: 'https://partner.example/',
    topics: ['device.information'],
    enabled: true,
    created_at: new Date('2026-03-01T12:00:00Z'),
    updated_at: new Date('2026-03-01T12:00:00Z'),
  });
  const foreign = await addOrganization(db);
  expect(await findWebhook(db, foreign, id)).toBeUndefined();
  expect(await findWebhookWithSecret(db, foreign, id)).toBeUndefined();
  const change = { enabled: false };
  expect(await db.transaction().execute((tx) => updateWebhook(tx, foreign, id, change, now))).toBeUndefined();
  expect(await remove(foreign, id)).toBeUndefined();
  expect((await findWebhook(db, orgId, id))?.enabled).toBe(true);
});

test('only what is present changes', async () => {
  const { db } = database;
  const orgId = await addOrganization(db);
  const { id } = await addWebhook(db, orgId, 'https://partner.example/', ['device.information']);
  const update = (change: Parameters<typeof updateWebhook>[3]) =>
    db.transaction().execute((tx) => updateWebhook(tx, orgId, id, change, now));
  expect(await update({ enabled: false })).toMatchObject({
    webhook: { enabled: false, topics: ['device.information'], updated_at: now },
  });
  expect(await update({ topics: [] })).toMatchObject({ webhook: { enabled: false, topics: [] } });
  expect(await update({})).toMatchObject({ webhook: { enabled: false, topics: [] }, cancelled: undefined });
});

test('pages hold 50 and together every webhook once', async () => {
  const { db } = database;
  const orgId = await addOrganization(db);
  for (let count = 0; count < 51; count += 1) await addWebhook(db, orgId, `https://partner.example/${count}`);
  const pages = await Promise.all([1, 2, 3].map((page) => listWebhooks(db, orgId, page)));
  expect(pages.map((page) => page.length)).toEqual([50, 1, 0]);
  expect(new Set(pages.flat().map(({ url }) => url)).size).toBe(51);
  expect(await countWebhooks(db, orgId)).toBe(51);
});

test('a removed webhook is found only with its secret, for the test message', async () => {
  const { db } = database;
  const orgId = await addOrganization(db);
  const { id, secret } = await addWebhook(db, orgId, 'https://partner.example/');
  expect(await remove(orgId, id)).toMatchObject({ reason: 'deleted', count: 0 });
  expect(await remove(orgId, id)).toBeUndefined();
  expect(await findWebhook(db, orgId, id)).toBeUndefined();
  expect(await listWebhooks(db, orgId, 1)).toEqual([]);
  const removed = await findWebhookWithSecret(db, orgId, id);
  expect(removed?.deleted_at).toEqual(now);
  const encrypted = removed?.secret ?? { keyId: '', bytes: Buffer.of() };
  expect(decrypt(TEST_KEYRING, encrypted, webhookSecretContext(id)).reveal()).toBe(secret.reveal());
  expect(await findWebhookWithSecret(db, orgId, randomUUID())).toBeUndefined();
});

test('a rotated secret replaces the former', async () => {
  const { db } = database;
  const orgId = await addOrganization(db);
  const { id } = await addWebhook(db, orgId, 'https://partner.example/');
  const fresh = await rotateTestSecret(db, orgId, id);
  const found = await findWebhookWithSecret(db, orgId, id);
  const encrypted = found?.secret ?? { keyId: '', bytes: Buffer.of() };
  expect(decrypt(TEST_KEYRING, encrypted, webhookSecretContext(id)).reveal()).toBe(fresh.reveal());
});
