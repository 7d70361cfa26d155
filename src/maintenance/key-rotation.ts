import { open, seal, webhookContext } from '../domain/security/encryption.ts';
import type { Keyring } from '../domain/security/encryption.ts';
import type { Db } from '../queries/connection/database.ts';
import { countSecrets, lockSecretsNotUnder, updateSeals } from '../queries/deliveries/webhook-secrets.ts';
import type { SealedSecret } from '../queries/deliveries/webhook-secrets.ts';

/** Rows that are locked together: deliveries wait for none of them, rotations of a secret for some milliseconds. */
const BATCH = 200;

export interface KeyChange {
  /** Secrets of all webhooks. */
  readonly total: number;
  readonly resealed: number;
  /** Webhooks whose secret no key of the keyring opens; they are left as they are. */
  readonly unreadable: readonly string[];
}

/** Puts every webhook secret under the current key. Again it finds nothing to do. */
export async function resealSecrets(db: Db, keyring: Keyring, batch = BATCH): Promise<KeyChange> {
  const unreadable: string[] = [];
  let resealed = 0;
  let after: SealedSecret | undefined;
  for (;;) {
    const secrets = await db.transaction().execute(async (tx) => {
      const found = await lockSecretsNotUnder(tx, keyring.currentKeyId, after, batch);
      const readable = found.flatMap((each) => resealedOf(keyring, each));
      await updateSeals(tx, readable);
      resealed += readable.length;
      return found;
    });
    unreadable.push(...secrets.filter(({ secret }) => !keyring.keys.has(secret.keyId)).map(({ id }) => id));
    after = secrets.at(-1);
    if (after === undefined) return { total: await countSecrets(db), resealed, unreadable };
  }
}

function resealedOf(keyring: Keyring, { org_id, id, secret }: SealedSecret): SealedSecret[] {
  if (!keyring.keys.has(secret.keyId)) return [];
  const context = webhookContext(id);
  return [{ org_id, id, secret: seal(keyring, open(keyring, secret, context), context) }];
}
