import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKeyring } from '../../src/domain/security/encryption.ts';
import { reencryptAnswers } from '../../src/maintenance/reencrypt-answers.ts';
import { sealAnswer, unsealAnswer } from '../../src/operations/stored-answers.ts';
import { findUsedKey, upsertUsedKey } from '../../src/queries/accounts/idempotency-keys.ts';
import type { IdempotencyKey } from '../../src/queries/accounts/idempotency-keys.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { addOrganization } from '../support/webhook-fixture.ts';

const [old, young, lost] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const at = new Date('2026-03-01T12:00:00Z');
let database: TestDatabase;
let orgId: string;
beforeAll(async () => {
  database = await testDatabase();
  orgId = await addOrganization(database.db);
});
afterAll(() => database.close());

async function add(key: Buffer, body: string): Promise<IdempotencyKey> {
  const owner = { org_id: orgId, user_id: randomUUID(), key_hash: randomBytes(32) };
  const answer = sealAnswer(createKeyring(key), owner, { reply: { status: 200, body } });
  await upsertUsedKey(database.db, owner, { request_hash: randomBytes(32), answer, created_at: at });
  return owner;
}

test('more than a batch of answers stays the same under another key; those of a lost key are left', async () => {
  const bodies = Array.from({ length: 5 }, (_, index) => `answer ${index}`);
  const made: [IdempotencyKey, string][] = [];
  for (const body of bodies) made.push([await add(old, body), body]);
  const stranger = await add(lost, 'of a key that is not there');
  const [after, alone] = [createKeyring(young, [old]), createKeyring(young)];
  expect(await reencryptAnswers(database.db, after, 2)).toBe(5);
  expect(await reencryptAnswers(database.db, after, 2)).toBe(0);
  expect(await reencryptAnswers(database.db, alone, 2)).toBe(0);
  for (const [key, body] of made) {
    const used = await findUsedKey(database.db, key, new Date(0));
    const answer = used?.answer;
    if (answer === undefined) throw new Error('The answer is gone.');
    expect(unsealAnswer(alone, key, answer)).toEqual({ reply: { status: 200, body } });
    expect(() => unsealAnswer(alone, { ...key, user_id: stranger.user_id }, answer)).toThrow();
  }
  const left = await findUsedKey(database.db, stranger, new Date(0));
  expect(left?.answer?.keyId).toBe(createKeyring(lost).currentKeyId);
});
