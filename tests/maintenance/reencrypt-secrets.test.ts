import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { reencryptSecrets } from '../../src/maintenance/reencrypt-secrets.ts';
import {
  createKeyring,
  decrypt,
  encrypt,
  webhookSecretContext,
} from '../../src/domain/security/encryption.ts';
import type { Keyring } from '../../src/domain/security/encryption.ts';
import { generateSigningSecret } from '../../src/domain/notifications/signature.ts';
import {
  findWebhookWithSecret,
  insertWebhook,
  rotateWebhookSecret,
} from '../../src/queries/deliveries/webhooks.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { addOrganization } from '../support/webhook-fixture.ts';

const [old, young, lost] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const before = createKeyring(old);
const after = createKeyring(young, [old]);
const at = new Date('2026-03-01T12:00:00Z');
let database: TestDatabase;
let orgId: string;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.db.deleteFrom('webhooks').execute();
  orgId = await addOrganization(database.db);
});

async function add(ring: Keyring): Promise<{ id: string; text: string }> {
  const [id, secret] = [randomUUID(), generateSigningSecret()];
  const webhook = { org_id: orgId, id, url: 'https://partner.example.com/', topics: [] };
  await insertWebhook(
    database.db,
    { ...webhook, secret: encrypt(ring, secret, webhookSecretContext(id)) },
    at,
  );
  return { id, text: secret.reveal() };
}

async function read(id: string, ring: Keyring): Promise<string> {
  const webhook = await findWebhookWithSecret(database.db, orgId, id);
  if (webhook === undefined) throw new Error('The webhook is gone.');
  return decrypt(ring, webhook.secret, webhookSecretContext(id)).reveal();
}

test('more than a batch of secrets stays the same under another key; a second run finds nothing', async () => {
  const made = await Promise.all(Array.from({ length: 25 }, () => add(before)));
  const done = await add(after);
  await database.db
    .updateTable('webhooks')
    .set({ deleted_at: at })
    .where('id', '=', made[3]?.id ?? '')
    .execute();
  expect(await reencryptSecrets(database.db, after, 10)).toEqual({
    total: 26,
    reencrypted: 25,
    undecryptable: [],
  });
  const alone = createKeyring(young);
  for (const { id, text } of [...made, done]) expect(await read(id, alone)).toBe(text);
  const rows = await database.db.selectFrom('webhooks').select(['updated_at', 'secret_version']).execute();
  expect(rows).toEqual(rows.map(() => ({ updated_at: at, secret_version: 1 })));
  expect(await reencryptSecrets(database.db, after)).toEqual({
    total: 26,
    reencrypted: 0,
    undecryptable: [],
  });
});

test('a secret under a key that is not there is named, and the others are re-encrypted', async () => {
  const [stranger, other] = [await add(createKeyring(lost)), await add(before)];
  for (let run = 0; run < 2; run += 1) {
    expect(await reencryptSecrets(database.db, after, 1)).toEqual({
      total: 2,
      reencrypted: run === 0 ? 1 : 0,
      undecryptable: [stranger.id],
    });
  }
  expect(await read(stranger.id, createKeyring(lost))).toBe(stranger.text);
  expect(await read(other.id, createKeyring(young))).toBe(other.text);
});

test('secrets that are rotated meanwhile keep their new value, whoever comes first', async () => {
  const made = await Promise.all(Array.from({ length: 20 }, () => add(before)));
  const rotations = made.map(async ({ id }) => {
    const secret = generateSigningSecret();
    await rotateWebhookSecret(database.db, orgId, id, encrypt(after, secret, webhookSecretContext(id)), at);
    return { id, text: secret.reveal() };
  });
  const [rotated] = await Promise.all([
    Promise.all(rotations),
    reencryptSecrets(database.db, after, 3),
    reencryptSecrets(database.db, after, 4),
  ]);
  await reencryptSecrets(database.db, after);
  for (const { id, text } of rotated) expect(await read(id, createKeyring(young))).toBe(text);
});
