import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Tx } from '../connection/database.ts';

/*
 * The number of a partner's pending deliveries is kept in the shards of pending_delivery_counts, in the transactions that change
 * it. The migration that made the table tells which shard is whose, and in what order they are taken.
 */

const SHARDS = 32;

/** Where events and calls count what becomes pending: each connection in a shard of its own, as far as they go. */
export const ADDING_SHARD = sql<number>`pg_backend_pid() % ${sql.lit(SHARDS)}`;

/** Where is counted off what a changed webhook does not want. */
export const CANCELLING_SHARD = sql<number>`${sql.lit(2 * SHARDS)}`;

/**
 * Adds deliveries to those that the partner of an organization has pending. A statement of its own behind the one that changes them: the
 * partner may be on another node than the organization, and what a common table expression has counted Citus 13.2 cannot insert there
 * (`invalid input syntax for type uuid: "PGCOPY"`).
 */
export async function addToPendingCounts(
  tx: Tx,
  orgId: string,
  shard: RawBuilder<number>,
  deliveries: number,
): Promise<void> {
  if (deliveries === 0) return;
  await sql`
    insert into pending_delivery_counts as c (org_id, shard, deliveries)
    select coalesce(parent_org_id, id), ${shard}, ${deliveries}::bigint from organizations where id = ${orgId}
    on conflict on constraint pending_delivery_counts_pkey do update set deliveries = c.deliveries + excluded.deliveries
  `.execute(tx);
}
