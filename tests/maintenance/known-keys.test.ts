import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  computeKeyId,
  createKeyring,
  encrypt,
  webhookSecretContext,
} from '../../src/domain/security/encryption.ts';
import { generateSigningSecret } from '../../src/domain/notifications/signature.ts';
import { admitKeyring, giveUpKeys } from '../../src/maintenance/known-keys.ts';
import { insertWebhook } from '../../src/queries/deliveries/webhooks.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { addOrganization } from '../support/webhook-fixture.ts';

const [old, young, wrong] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const idOf = computeKeyId;
const at = new Date('2026-03-01T12:00:00Z');
let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
afterEach(async () => {
  await database.db.deleteFrom('webhooks').execute();
  await database.db.deleteFrom('encryption_keys').execute();
});

const admit = (current: Buffer, previous: Buffer[] = []) =>
  admitKeyring(database.db, createKeyring(current, previous), at);
const giveUp = (current: Buffer, ...ids: string[]) =>
  giveUpKeys(database.db, createKeyring(current), ids, at);
const known = async (): Promise<string[]> =>
  (await database.db.selectFrom('encryption_keys').select('id').orderBy('id').execute()).map(({ id }) => id);

async function addWebhook(key: Buffer): Promise<string> {
  const [org_id, id] = [await addOrganization(database.db), randomUUID()];
  const secret = encrypt(createKeyring(key), generateSigningSecret(), webhookSecretContext(id));
  const webhook = { org_id, id, url: 'https://partner.example.com/', topics: [], secret };
  await insertWebhook(database.db, webhook, at);
  return id;
}

test('the first key of a database is taken, another one alone is not, and nothing is added', async () => {
  await admit(old);
  await admit(old);
  await expect(admit(wrong)).rejects.toThrow(
    `This database has been used with the key ${idOf(old)}, which neither ENCRYPTION_KEY`,
  );
  expect(await known()).toEqual([idOf(old)]);
});

test('of two first processes with different keys one starts', async () => {
  const ends = await Promise.allSettled([old, young].map((key) => admit(key)));
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await known()).toHaveLength(1);
});

test('a change of the key goes through its steps; without the former key it is refused until nothing needs that', async () => {
  await admit(old);
  const id = await addWebhook(old);
  await admit(old, [young]);
  await admit(young, [old]);
  expect(await known()).toEqual([idOf(old), idOf(young)].sort());
  await expect(admit(young)).rejects.toThrow(
    `The secret of a webhook is encrypted under the key ${idOf(old)}, which neither ENCRYPTION_KEY`,
  );
  const more = await addWebhook(old);
  await expect(admit(young, [wrong])).rejects.toThrow(
    `The secrets of 2 webhooks are encrypted under the key ${idOf(old)}`,
  );
  // Of a deleted webhook nothing is sent.
  await database.db.updateTable('webhooks').set({ deleted_at: at }).where('id', 'in', [id, more]).execute();
  await admit(young);
});

test('a key that is lost is given up by its id, and counts again when it is found', async () => {
  await admit(old);
  await addWebhook(old);
  await expect(giveUp(wrong, 'ffff')).rejects.toThrow(
    `The database knows no key ffff. Those that it knows: the key ${idOf(old)}.`,
  );
  await expect(giveUp(old, idOf(old))).rejects.toThrow(`The key ${idOf(old)} is not lost`);
  await expect(giveUp(wrong, idOf(old), 'ffff')).rejects.toThrow('ffff');
  await expect(admit(young)).rejects.toThrow(idOf(old));
  expect(await giveUp(young, idOf(old))).toBe(1);
  await admit(young);
  await admit(young, [old]);
  await expect(admit(young)).rejects.toThrow(idOf(old));
});

test('no more than ten keys are named', async () => {
  const others = Array.from({ length: 12 }, (_, index) => ({ id: `key-${index + 10}`, first_used_at: at }));
  await database.db.insertInto('encryption_keys').values(others).execute();
  await expect(admit(young)).rejects.toThrow(/the keys key-10, (key-\d\d, ){8}key-19, …, which /);
});
