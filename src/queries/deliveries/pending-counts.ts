import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';

/*
 * The number of a partner's pending deliveries is kept in the shards of pending_delivery_counts, by the statements that change it:
 * these are parts of them. The migration that made the table tells which shard is whose, and in what order they are taken.
 */

const SHARDS = 32;

/** Where events and calls count what becomes pending: each connection in a shard of its own, as far as they go. */
export const ADDING_SHARD = sql<number>`pg_backend_pid() % ${sql.lit(SHARDS)}`;

/** Where is counted off what a changed webhook does not want. */
export const CANCELLING_SHARD = sql<number>`${sql.lit(2 * SHARDS)}`;

/** A select of the partner to which an organization belongs, as `id`. */
export function selectPartnerOf(orgId: string): RawBuilder<{ id: string }> {
  return sql`select coalesce(parent_org_id, id) as id from organizations where id = ${orgId}`;
}

/** An insert of the rows (partner, shard, change) that `changes` selects; each is added to what is there. */
export function addToPendingCounts(changes: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into pending_delivery_counts as c (org_id, shard, deliveries)
    ${changes}
    on conflict on constraint pending_delivery_counts_pkey do update set deliveries = c.deliveries + excluded.deliveries`;
}
