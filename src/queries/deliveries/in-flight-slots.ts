import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';

/** A place with the lease that was taken in it. */
export interface LeasedPlace {
  readonly owner: number;
  readonly place: number;
  readonly lease_token: string;
}

/** What makes a place empty again, for `update delivery_places set`. */
export const empty = sql`org_id = null, message_id = null, webhook_id = null, is_retry = null, lease_token = null, lease_until = null`;

/** Gives leases back, so that another worker need not wait for their end. */
export async function releaseDeliveries(db: Db, leases: readonly LeasedPlace[]): Promise<void> {
  if (leases.length === 0) return;
  const held = leases.map(({ owner, place, lease_token }) => ({ owner, place, lease_token }));
  await sql`
    update delivery_places p set ${empty}
    from jsonb_to_recordset(${JSON.stringify(held)}::jsonb) as r (owner integer, place integer, lease_token uuid)
    where p.owner = r.owner and p.place = r.place and p.lease_token = r.lease_token
  `.execute(db);
}

/**
 * Makes deliveries due again whose lease is over or whose owner is one of `absent`; tells how many. Places that
 * somebody is just now emptying are left alone; those of absent owners are taken away.
 */
export async function releaseLost(db: Db, absent: readonly number[], now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with gone as (
      delete from delivery_places where (owner, place) in (
        select owner, place from delivery_places where owner = any(${[...absent]}::integer[]) for update skip locked)
      returning message_id
    ), lost as (
      select owner, place from delivery_places
      where lease_until <= ${now} and owner <> all(${[...absent]}::integer[])
      for update skip locked
    ), released as (
      update delivery_places p set ${empty} from lost where p.owner = lost.owner and p.place = lost.place
      returning p.place
    )
    select (select count(message_id) from gone) + (select count(*) from released) as count
  `.execute(db);
  return rows[0]?.count ?? 0;
}
