import { sql } from 'kysely';
import type { Db } from './database.ts';

/** Gives leases back, so that another worker need not wait for their end. */
export async function releaseDeliveries(
  db: Db,
  leases: readonly { readonly org_id: string; readonly id: string; readonly lease_token: string }[],
): Promise<void> {
  if (leases.length === 0) return;
  const held = leases.map(({ org_id, id, lease_token }) => ({ org_id, id, lease_token }));
  await sql`
    update deliveries d set lease_token = null, lease_until = null, lease_owner = null
    from jsonb_to_recordset(${JSON.stringify(held)}::jsonb) as r (org_id uuid, id uuid, lease_token uuid)
    where d.org_id = r.org_id and d.id = r.id and d.lease_token = r.lease_token
  `.execute(db);
}

/**
 * Makes deliveries due again whose lease is over or whose owner is one of `absent`; tells how many. Rows that
 * somebody is just now finishing are left alone.
 */
export async function releaseLost(db: Db, absent: readonly number[], now: Date): Promise<number> {
  const result = await sql`
    with lost as (
      select org_id, id from deliveries
      where lease_token is not null and (lease_until <= ${now} or lease_owner = any(${[...absent]}::integer[]))
      order by id
      for update skip locked
    )
    update deliveries d
    set lease_token = null, lease_until = null, lease_owner = null
    from lost
    where d.org_id = lost.org_id and d.id = lost.id
  `.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}
