import { answerContext, decrypt, encrypt } from '../domain/security/encryption.ts';
import type { Keyring } from '../domain/security/encryption.ts';
import type { Db } from '../queries/connection/database.ts';
import { listAnswersUnderKeys, updateEncryptedAnswer } from '../queries/accounts/idempotency-keys.ts';
import type { EncryptedAnswer } from '../queries/accounts/idempotency-keys.ts';

/** Rows that are read together. */
const BATCH_SIZE = 200;

/**
 * Encrypts under the current key every answer that is stored with an idempotency key and that another key of the keyring can decrypt;
 * all others go within a day. Resolves to their number.
 */
export async function reencryptAnswers(db: Db, keyring: Keyring, batchSize = BATCH_SIZE): Promise<number> {
  const others = [...keyring.keys.keys()].filter((id) => id !== keyring.currentKeyId);
  if (others.length === 0) return 0;
  for (let reencrypted = 0; ;) {
    const found = await listAnswersUnderKeys(db, others, batchSize);
    if (found.length === 0) return reencrypted;
    for (const each of found) await updateEncryptedAnswer(db, reencrypt(keyring, each), each.answer);
    reencrypted += found.length;
  }
}

function reencrypt(keyring: Keyring, { answer, ...key }: EncryptedAnswer): EncryptedAnswer {
  const context = answerContext(key.org_id, key.user_id, key.key_hash);
  return { ...key, answer: encrypt(keyring, decrypt(keyring, answer, context), context) };
}
