import { sql } from 'kysely';
import type { EncryptedValue } from '../../domain/security/encryption.ts';
import type { Db } from '../connection/database.ts';

/** A webhook's signing secret as it is stored; deleted webhooks have one too. */
export interface EncryptedSecret {
  readonly org_id: string;
  readonly id: string;
  readonly secret: EncryptedValue;
}

/**
 * The next secrets that are encrypted under another key than `keyId`: at most `limit`, ordered by organization and webhook, those
 * behind `after`.
 */
export async function listSecretsUnderOtherKeys(
  db: Db,
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
  `.execute(db);
  return rows.map(({ org_id, id, bytes, key_id }) => ({ org_id, id, secret: { keyId: key_id, bytes } }));
}

/** A secret as it was read, and the same in another encryption. */
export interface ReencryptedSecret extends EncryptedSecret {
  readonly before: EncryptedValue;
}

/**
 * Stores the same secrets in another encryption, those that are still as they were read; resolves to their number. Neither their
 * versions nor their webhooks' `updated_at` change.
 */
export async function updateEncryptedSecrets(db: Db, secrets: readonly ReencryptedSecret[]): Promise<number> {
  if (secrets.length === 0) return 0;
  const rows = secrets.map(({ org_id, id, secret, before }) => ({
    org_id,
    id,
    bytes: secret.bytes.toString('base64'),
    key_id: secret.keyId,
    before: before.bytes.toString('base64'),
  }));
  const { numAffectedRows } = await sql`
    update webhooks w set encrypted_secret = decode(r.bytes, 'base64'), secret_key_id = r.key_id
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (org_id uuid, id uuid, bytes text, key_id text, before text)
    where w.org_id = r.org_id and w.id = r.id and w.encrypted_secret = decode(r.before, 'base64')
  `.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** The number of webhooks, deleted ones included: each has one secret. */
export async function countWebhookSecrets(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
