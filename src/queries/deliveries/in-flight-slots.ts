import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';

/** A worker's slot with the lease that is in it. */
export interface LeasedSlot {
  readonly worker_id: number;
  readonly slot: number;
  readonly lease_token: string;
}

/** The assignments that make a slot free again, for `update in_flight_slots set`. */
const slotCleared = sql`org_id = null, partner_id = null, message_id = null, webhook_id = null, is_retry = null, lease_token = null, lease_until = null`;

/** Gives leases back before they expire, so that another worker can take the deliveries at once. */
export async function releaseLeases(db: Db, leases: readonly LeasedSlot[]): Promise<void> {
  if (leases.length === 0) return;
  const released = leases.map(({ worker_id, slot, lease_token }) => ({ worker_id, slot, lease_token }));
  await sql`
    update in_flight_slots s set ${slotCleared}
    from jsonb_to_recordset(${JSON.stringify(released)}::jsonb) as r (worker_id integer, slot integer, lease_token uuid)
    where s.worker_id = r.worker_id and s.slot = r.slot and s.lease_token = r.lease_token
  `.execute(db);
}

/** Gives back what claims of a worker have leased, also those whose answers it has never read. */
export async function releaseClaims(db: Db, workerId: number, leaseTokens: readonly string[]): Promise<void> {
  if (leaseTokens.length === 0) return;
  await sql`
    update in_flight_slots set ${slotCleared}
    where worker_id = ${workerId} and lease_token = any(${[...leaseTokens]}::uuid[])
  `.execute(db);
}

/**
 * Makes deliveries claimable again whose lease has expired by the database's clock (that of the statement's begin, so none too
 * early) or whose worker is one of `absentWorkers`; returns how many.
 * Expired slots are cleared, those of absent workers deleted; a slot that another transaction has locked is left to it.
 */
export async function releaseAbandonedDeliveryLeases(
  db: Db,
  absentWorkers: readonly number[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with deleted as (
      delete from in_flight_slots where (worker_id, slot) in (
        select worker_id, slot from in_flight_slots
        where worker_id = any(${[...absentWorkers]}::integer[]) for update skip locked)
      returning message_id
    ), expired as (
      select worker_id, slot from in_flight_slots
      where lease_until <= now() and worker_id <> all(${[...absentWorkers]}::integer[])
      for update skip locked
    ), cleared as (
      update in_flight_slots s set ${slotCleared} from expired
      where s.worker_id = expired.worker_id and s.slot = expired.slot
      returning s.slot
    )
    select (select count(message_id) from deleted) + (select count(*) from cleared) as count
  `.execute(db);
  return rows[0]?.count ?? 0;
}
