import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { EncryptedValue } from '../../domain/security/encryption.ts';
import type { Db, Tx } from '../connection/database.ts';
import { deleteBatch } from '../connection/delete-batch.ts';

/** The class of advisory locks by which transactions hold the keys that they answer; their object is the key. */
const KEY_LOCK_CLASS = 1_768_190_073;

/** Whose key it is. */
export interface IdempotencyKey {
  readonly org_id: string;
  readonly user_id: string;
  /** SHA-256 of the key. */
  readonly key_hash: Buffer;
}

/** What a key was used for. */
export interface UsedKey {
  /** SHA-256 of what was asked. */
  readonly request_hash: Buffer;
  /** Undefined while the operation runs, or when its process has died. */
  readonly answer: EncryptedValue | undefined;
  readonly created_at: Date;
}

/** An answer with the key that it belongs to. */
export interface EncryptedAnswer extends IdempotencyKey {
  readonly answer: EncryptedValue;
}

/**
 * Takes the key until the transaction ends; false when another one has it now. By an advisory lock, since nobody is to wait: two
 * keys share one by chance once in 2^32.
 */
export async function tryLockKey(tx: Tx, { org_id, user_id, key_hash }: IdempotencyKey): Promise<boolean> {
  const lock = createHash('sha256').update(`${org_id} ${user_id} `).update(key_hash).digest().readInt32BE();
  const { rows } = await sql<{ is_taken: boolean }>`
    select pg_try_advisory_xact_lock(${KEY_LOCK_CLASS}::integer, ${lock}::integer) as is_taken
  `.execute(tx);
  return rows[0]?.is_taken === true;
}

/** What a key was used for after `since`; undefined when it is free. */
export async function findUsedKey(
  db: Db | Tx,
  key: IdempotencyKey,
  since: Date,
): Promise<UsedKey | undefined> {
  const row = await db
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'encrypted_answer', 'answer_key_id', 'created_at'])
    .where('org_id', '=', key.org_id)
    .where('user_id', '=', key.user_id)
    .where('key_hash', '=', key.key_hash)
    .where('created_at', '>', since)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { request_hash, encrypted_answer: bytes, answer_key_id: keyId, created_at } = row;
  const answer = bytes === null || keyId === null ? undefined : { bytes, keyId };
  return { request_hash, answer, created_at };
}

/** Says what a key is used for; what it was used for before is forgotten. */
export async function upsertUsedKey(db: Db | Tx, key: IdempotencyKey, used: UsedKey): Promise<void> {
  const values = {
    request_hash: used.request_hash,
    encrypted_answer: used.answer?.bytes ?? null,
    answer_key_id: used.answer?.keyId ?? null,
    created_at: used.created_at,
  };
  await db
    .insertInto('idempotency_keys')
    .values({ ...key, ...values })
    .onConflict((conflict) => conflict.columns(['org_id', 'user_id', 'key_hash']).doUpdateSet(values))
    .execute();
}

/** The key is free again. */
export async function deleteUsedKey(db: Db, key: IdempotencyKey): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('org_id', '=', key.org_id)
    .where('user_id', '=', key.user_id)
    .where('key_hash', '=', key.key_hash)
    .execute();
}

/** Deletes at most `limit` keys that were used up to `before`; the number deleted. */
export function deleteKeysUsedBefore(db: Db, before: Date, limit: number): Promise<number> {
  return deleteBatch(db, 'idempotency_keys', sql`where created_at <= ${before} order by created_at`, limit);
}

/** At most `limit` answers that are encrypted under one of these keys. */
export async function listAnswersUnderKeys(
  db: Db,
  keyIds: readonly string[],
  limit: number,
): Promise<EncryptedAnswer[]> {
  const rows = await db
    .selectFrom('idempotency_keys')
    .select(['org_id', 'user_id', 'key_hash', 'encrypted_answer as bytes', 'answer_key_id as keyId'])
    .where('answer_key_id', 'in', keyIds)
    .limit(limit)
    .execute();
  return rows.flatMap(({ bytes, keyId, ...key }) =>
    bytes === null || keyId === null ? [] : [{ ...key, answer: { bytes, keyId } }],
  );
}

/** Stores the same answer in another encryption, unless it is another one by now. */
export async function updateEncryptedAnswer(
  db: Db,
  { answer, ...key }: EncryptedAnswer,
  before: EncryptedValue,
): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ encrypted_answer: answer.bytes, answer_key_id: answer.keyId })
    .where('org_id', '=', key.org_id)
    .where('user_id', '=', key.user_id)
    .where('key_hash', '=', key.key_hash)
    .where('encrypted_answer', '=', before.bytes)
    .execute();
}
