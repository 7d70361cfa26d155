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

/**
 * Deletes at most `limit` dismissals of such broadcasts, of those that ended first: one may have as many as there are users. Resolves
 * to how many.
 */
export async function deleteDismissalsOfBroadcastsEndedBefore(
  db: Db,
  instant: Date,
  limit: number,
): Promise<number> {
  const { rows: broadcasts } = await sql<{ org_id: string; id: string }>`
    select i.org_id, i.id from notification_items i
    where ${ENDED_AT} < ${instant} and i.owner_id is null
      and exists (select from broadcast_dismissals b where b.org_id = i.org_id and b.item_id = i.id)
    order by ${ENDED_AT} limit ${sql.lit(BROADCASTS_AT_ONCE)}
  `.execute(db);
  let deleted = 0;
  for (const broadcast of broadcasts) {
    if (deleted >= limit) break;
    const isOf = sql`org_id = ${broadcast.org_id} and item_id = ${broadcast.id}`;
    const { numAffectedRows = 0n } = await sql`
      delete from broadcast_dismissals where ${isOf} and ctid = any(array(
        select ctid from broadcast_dismissals where ${isOf} limit ${sql.lit(limit - deleted)}))
    `.execute(db);
    deleted += Number(numAffectedRows);
  }
  return broadcasts.length === BROADCASTS_AT_ONCE ? limit : deleted;
}

const BROADCASTS_AT_ONCE = 16;
