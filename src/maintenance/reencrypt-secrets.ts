import { decrypt, encrypt, webhookSecretContext } from '../domain/security/encryption.ts';
import type { Keyring } from '../domain/security/encryption.ts';
import type { Db } from '../queries/connection/database.ts';
import {
  countWebhookSecrets,
  listSecretsUnderOtherKeys,
  updateEncryptedSecrets,
} from '../queries/deliveries/webhook-secrets.ts';
import type { EncryptedSecret, ReencryptedSecret } from '../queries/deliveries/webhook-secrets.ts';

/** Rows of one statement. Deliveries wait for none of them; a secret that is rotated meanwhile is left as it is then. */
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
    const secrets = await listSecretsUnderOtherKeys(db, keyring.currentKeyId, after, batchSize);
    const changed = secrets
      .filter(({ secret }) => keyring.keys.has(secret.keyId))
      .map((each) => reencrypt(keyring, each));
    reencrypted += await updateEncryptedSecrets(db, changed);
    undecryptable.push(
      ...secrets.filter(({ secret }) => !keyring.keys.has(secret.keyId)).map(({ id }) => id),
    );
    after = secrets.at(-1);
    if (after === undefined) return { total: await countWebhookSecrets(db), reencrypted, undecryptable };
  }
}

function reencrypt(keyring: Keyring, { org_id, id, secret: before }: EncryptedSecret): ReencryptedSecret {
  const context = webhookSecretContext(id);
  return { org_id, id, before, secret: encrypt(keyring, decrypt(keyring, before, context), context) };
}
