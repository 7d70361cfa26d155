import { sql } from 'kysely';
import type { Sealed } from '../../domain/security/encryption.ts';
import type { Db, Tx } from '../connection/database.ts';

/** A webhook's secret as it is kept; removed webhooks have one too. */
export interface SealedSecret {
  readonly org_id: string;
  readonly id: string;
  readonly secret: Sealed;
}

/** The next secrets, in the order of their webhooks, that another key than this one has sealed; held until the end. */
export async function lockSecretsNotUnder(
  tx: Tx,
  keyId: string,
  after: { readonly org_id: string; readonly id: string } | undefined,
  limit: number,
): Promise<SealedSecret[]> {
  const behind =
    after === undefined ? sql`true` : sql`(org_id, id) > (${after.org_id}::uuid, ${after.id}::uuid)`;
  const { rows } = await sql<{ org_id: string; id: string; box: Buffer; key_id: string }>`
    select org_id, id, secret_sealed as box, secret_key_id as key_id from webhooks
    where secret_key_id <> ${keyId} and ${behind}
    order by org_id, id
    limit ${limit}
    for update
  `.execute(tx);
  return rows.map(({ org_id, id, box, key_id }) => ({ org_id, id, secret: { keyId: key_id, box } }));
}

/** Puts the same secrets under another seal. Neither their versions nor their webhooks' `updated_at` change. */
export async function updateSeals(tx: Tx, secrets: readonly SealedSecret[]): Promise<void> {
  if (secrets.length === 0) return;
  const rows = secrets.map(({ org_id, id, secret }) => ({
    org_id,
    id,
    box: secret.box.toString('base64'),
    key_id: secret.keyId,
  }));
  await sql`
    update webhooks w set secret_sealed = decode(r.box, 'base64'), secret_key_id = r.key_id
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (org_id uuid, id uuid, box text, key_id text)
    where w.org_id = r.org_id and w.id = r.id
  `.execute(tx);
}

export async function countSecrets(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
