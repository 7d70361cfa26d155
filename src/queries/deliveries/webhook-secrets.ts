import { sql } from 'kysely';
import type { EncryptedValue } from '../../domain/security/encryption.ts';
import type { Db, Tx } from '../connection/database.ts';

/** A webhook's signing secret as it is stored; deleted webhooks have one too. */
export interface EncryptedSecret {
  readonly org_id: string;
  readonly id: string;
  readonly secret: EncryptedValue;
}

/**
 * Locks, until the transaction ends, the next secrets that are encrypted under another key than `keyId`: at most
 * `limit`, ordered by organization and webhook, those behind `after`.
 */
export async function lockSecretsUnderOtherKeys(
  tx: Tx,
  keyId: string,
  after: { readonly org_id: string; readonly id: string } | undefined,
  limit: number,
): Promise<EncryptedSecret[]> {
  const isBehind =
    after === undefined ? sql`true` : sql`(org_id, id) > (${after.org_id}::uuid, ${after.id}::uuid)`;
  const { rows } = await sql<{ org_id: string; id: string; bytes: Buffer; key_id: string }>`
    select org_id, id, encrypted_secret as bytes, secret_key_id as key_id from webhooks
    where secret_key_id <> ${keyId} and ${isBehind}
    order by org_id, id
    limit ${limit}
    for update
  `.execute(tx);
  return rows.map(({ org_id, id, bytes, key_id }) => ({ org_id, id, secret: { keyId: key_id, bytes } }));
}

/** Stores the same secrets in another encryption. Neither their versions nor their webhooks' `updated_at` change. */
export async function updateEncryptedSecrets(tx: Tx, secrets: readonly EncryptedSecret[]): Promise<void> {
  if (secrets.length === 0) return;
  const rows = secrets.map(({ org_id, id, secret }) => ({
    org_id,
    id,
    bytes: secret.bytes.toString('base64'),
    key_id: secret.keyId,
  }));
  await sql`
    update webhooks w set encrypted_secret = decode(r.bytes, 'base64'), secret_key_id = r.key_id
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (org_id uuid, id uuid, bytes text, key_id text)
    where w.org_id = r.org_id and w.id = r.id
  `.execute(tx);
}

/** The number of webhooks, deleted ones included: each has one secret. */
export async function countWebhookSecrets(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
