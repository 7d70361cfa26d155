import { decrypt, encrypt, webhookSecretContext } from '../domain/security/encryption.ts';
import type { Keyring } from '../domain/security/encryption.ts';
import type { Db } from '../queries/connection/database.ts';
import {
  countWebhookSecrets,
  lockSecretsUnderOtherKeys,
  updateEncryptedSecrets,
} from '../queries/deliveries/webhook-secrets.ts';
import type { EncryptedSecret } from '../queries/deliveries/webhook-secrets.ts';

/** Rows that one transaction locks. Deliveries wait for none of them, rotations of a secret for some milliseconds. */
const BATCH_SIZE = 200;

export interface ReencryptionResult {
  /** Secrets of all webhooks. */
  readonly total: number;
  readonly reencrypted: number;
  /** Webhooks whose secret no key of the keyring can decrypt; they are left as they are. */
  readonly undecryptable: readonly string[];
}

/** Encrypts every webhook secret under the current key. Run again, it finds nothing to do. */
export async function reencryptSecrets(
  db: Db,
  keyring: Keyring,
  batchSize = BATCH_SIZE,
): Promise<ReencryptionResult> {
  const undecryptable: string[] = [];
  let reencrypted = 0;
  let after: EncryptedSecret | undefined;
  for (;;) {
    const secrets = await db.transaction().execute(async (tx) => {
      const found = await lockSecretsUnderOtherKeys(tx, keyring.currentKeyId, after, batchSize);
      const changed = found
        .filter(({ secret }) => keyring.keys.has(secret.keyId))
        .map((each) => reencrypt(keyring, each));
      await updateEncryptedSecrets(tx, changed);
      reencrypted += changed.length;
      return found;
    });
    undecryptable.push(
      ...secrets.filter(({ secret }) => !keyring.keys.has(secret.keyId)).map(({ id }) => id),
    );
    after = secrets.at(-1);
    if (after === undefined) return { total: await countWebhookSecrets(db), reencrypted, undecryptable };
  }
}

function reencrypt(keyring: Keyring, { org_id, id, secret }: EncryptedSecret): EncryptedSecret {
  const context = webhookSecretContext(id);
  return { org_id, id, secret: encrypt(keyring, decrypt(keyring, secret, context), context) };
}
