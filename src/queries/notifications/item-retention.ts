import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { deleteBatch } from '../connection/delete-batch.ts';

/** When an item ended: by itself, by its dismissal, or, of a broadcast, with its sending. The expression of an index. */
const ENDED_AT = sql`coalesce(i.cleared_at, i.dismissed_at, case when i.owner_id is null then i.occurred_at end)`;

/**
 * Deletes at most `limit` items that ended before `instant`, broadcasts that were sent before it among them; resolves to how many.
 * What is open stays, however old. Their dismissals go with broadcasts: delete them before.
 */
export async function deleteItemsEndedBefore(db: Db, instant: Date, limit: number): Promise<number> {
  return deleteBatch(
    db,
    'notification_items',
    sql`i where ${ENDED_AT} < ${instant} order by ${ENDED_AT}`,
    limit,
  );
}

/** Deletes at most `limit` dismissals of such broadcasts: one may have as many as there are users. Resolves to how many. */
export async function deleteDismissalsOfBroadcastsEndedBefore(
  db: Db,
  instant: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from broadcast_dismissals where ctid = any(array(
      select b.ctid from notification_items i, lateral (
        select ctid from broadcast_dismissals where org_id = i.org_id and item_id = i.id limit ${sql.lit(limit)}
      ) b
      where ${ENDED_AT} < ${instant} and i.owner_id is null
      limit ${sql.lit(limit)}))
  `.execute(db);
  return Number(numAffectedRows ?? 0n);
}
