import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

/** A key under which secrets have been encrypted. */
export interface KnownKey {
  readonly id: string;
  /** Given up: nobody has it any more. */
  readonly isLost: boolean;
}

/** Until the end of the transaction no other process adds a key. */
export async function lockEncryptionKeys(tx: Tx): Promise<void> {
  await sql`lock table encryption_keys in share row exclusive mode`.execute(tx);
}

/** All of them, the first one first. */
export async function listEncryptionKeys(tx: Tx): Promise<KnownKey[]> {
  const { rows } = await sql<KnownKey>`
    select id, lost_at is not null as "isLost" from encryption_keys order by first_used_at, id
  `.execute(tx);
  return rows;
}

/** Adds the key that encrypts from now on; none of those that were `found` is lost any more. */
export async function addEncryptionKey(
  tx: Tx,
  keyId: string,
  found: readonly string[],
  now: Date,
): Promise<void> {
  await sql`insert into encryption_keys (id, first_used_at) values (${keyId}, ${now}) on conflict do nothing`.execute(
    tx,
  );
  await sql`update encryption_keys set lost_at = null where id = any(${found}) and lost_at is not null`.execute(
    tx,
  );
}

/** Gives up what these keys have encrypted. */
export async function markKeysAsLost(tx: Tx, keyIds: readonly string[], now: Date): Promise<void> {
  await sql`update encryption_keys set lost_at = coalesce(lost_at, ${now}) where id = any(${keyIds})`.execute(
    tx,
  );
}

/** How many webhooks, deleted ones left out, have a secret under each key but these. */
export async function countSecretsByOtherKeys(
  db: Db,
  keyIds: readonly string[],
): Promise<{ keyId: string; webhooks: number }[]> {
  const { rows } = await sql<{ keyId: string; webhooks: string }>`
    select secret_key_id as "keyId", count(*) as webhooks from webhooks
    where deleted_at is null and secret_key_id <> all(${keyIds})
    group by secret_key_id order by secret_key_id
  `.execute(db);
  return rows.map(({ keyId, webhooks }) => ({ keyId, webhooks: Number(webhooks) }));
}
