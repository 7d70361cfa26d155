import type { Keyring } from '../domain/security/encryption.ts';
import type { Db } from '../queries/connection/database.ts';
import {
  addEncryptionKey,
  countSecretsByOtherKeys,
  listEncryptionKeys,
  lockEncryptionKeys,
  markKeysAsLost,
} from '../queries/deliveries/encryption-keys.ts';

/** Ids that a message names. */
const NAMED = 10;

/**
 * Makes sure that a process which serves can read every secret that is not given up, and remembers its key before it encrypts
 * anything. A process with a wrong key would spend the attempts of all deliveries, and store what the others cannot read.
 * @throws Error that names the ids of the keys that are missing, and the cure.
 */
export async function admitKeyring(db: Db, keyring: Keyring, now: Date): Promise<void> {
  const lost = await rememberKey(db, keyring, now);
  const missing = await countSecretsByOtherKeys(db, [...keyring.keys.keys(), ...lost]);
  if (missing.length === 0) return;
  const webhooks = missing.reduce((sum, each) => sum + each.webhooks, 0);
  throw missingKeys(
    `The ${webhooks === 1 ? 'secret of a webhook is' : `secrets of ${webhooks} webhooks are`} encrypted under`,
    missing.map(({ keyId }) => keyId),
  );
}

/**
 * Adds the key of ENCRYPTION_KEY to those of the database, and resolves to the ids of those that were lost. Its first one is taken as
 * it is; another one only beside one that the database knows, as when keys are changed.
 * @throws Error that names the ids of the keys that are missing, and the cure.
 */
export function rememberKey(db: Db, { currentKeyId, keys }: Keyring, now: Date): Promise<string[]> {
  return db.transaction().execute(async (tx) => {
    await lockEncryptionKeys(tx);
    const known = await listEncryptionKeys(tx);
    const inUse = known.filter(({ isLost }) => !isLost).map(({ id }) => id);
    if (inUse.length > 0 && !inUse.some((id) => keys.has(id)))
      throw missingKeys('This database has been used with', inUse);
    await addEncryptionKey(tx, currentKeyId, [...keys.keys()], now);
    return known.filter(({ isLost }) => isLost).map(({ id }) => id);
  });
}

/**
 * Gives up what keys have encrypted that nobody has any more; resolves to the number of webhooks whose secrets are gone.
 * @throws Error when a key is configured, or the database does not know it.
 */
export async function giveUpKeys(
  db: Db,
  keyring: Keyring,
  keyIds: readonly string[],
  now: Date,
): Promise<number> {
  await db.transaction().execute(async (tx) => {
    await lockEncryptionKeys(tx);
    const known = (await listEncryptionKeys(tx)).map(({ id }) => id);
    for (const id of keyIds) {
      if (keyring.keys.has(id))
        throw new Error(`The key ${id} is not lost: it is in ENCRYPTION_KEY or ENCRYPTION_KEY_PREVIOUS.`);
      if (!known.includes(id))
        throw new Error(`The database knows no key ${id}. Those that it knows: ${nameKeys(known)}.`);
    }
    await markKeysAsLost(tx, keyIds, now);
  });
  const others = await countSecretsByOtherKeys(db, [...keyring.keys.keys()]);
  return others.reduce((sum, { keyId, webhooks }) => sum + (keyIds.includes(keyId) ? webhooks : 0), 0);
}

function missingKeys(what: string, ids: readonly string[]): Error {
  return new Error(
    `${what} ${nameKeys(ids)}, which neither ENCRYPTION_KEY (without it DATA_DIR/encryption-key, which is made anew where it is ` +
      'missing) nor ENCRYPTION_KEY_PREVIOUS has. Set it; where it is lost for good and no process runs with it, ' +
      '`partner keys lost ID` gives up what it has encrypted.',
  );
}

function nameKeys(ids: readonly string[]): string {
  if (ids.length === 0) return 'none';
  return (ids.length === 1 ? 'the key ' : 'the keys ') + nameSome(ids);
}

/** The first ids, for a message that must not grow with their number. */
export function nameSome(ids: readonly string[]): string {
  return ids.slice(0, NAMED).join(', ') + (ids.length > NAMED ? ', …' : '');
}
