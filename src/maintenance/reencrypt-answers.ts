import { answerContext, decrypt, encrypt } from '../domain/security/encryption.ts';
import type { Keyring } from '../domain/security/encryption.ts';
import type { Db } from '../queries/connection/database.ts';
import { lockAnswersUnderKeys, updateEncryptedAnswer } from '../queries/accounts/idempotency-keys.ts';
import type { EncryptedAnswer } from '../queries/accounts/idempotency-keys.ts';

/** Rows that one transaction locks, for which repeats do not wait. */
const BATCH_SIZE = 200;

/**
 * Encrypts under the current key every answer that is stored with an idempotency key and that another key of the keyring can decrypt;
 * all others go within a day. Resolves to their number.
 */
export async function reencryptAnswers(db: Db, keyring: Keyring, batchSize = BATCH_SIZE): Promise<number> {
  const others = [...keyring.keys.keys()].filter((id) => id !== keyring.currentKeyId);
  if (others.length === 0) return 0;
  for (let reencrypted = 0; ;) {
    const changed = await db.transaction().execute(async (tx) => {
      const found = await lockAnswersUnderKeys(tx, others, batchSize);
      for (const each of found) await updateEncryptedAnswer(tx, reencrypt(keyring, each));
      return found.length;
    });
    if (changed === 0) return reencrypted;
    reencrypted += changed;
  }
}

function reencrypt(keyring: Keyring, { answer, ...key }: EncryptedAnswer): EncryptedAnswer {
  const context = answerContext(key.org_id, key.user_id, key.key_hash);
  return { ...key, answer: encrypt(keyring, decrypt(keyring, answer, context), context) };
}
