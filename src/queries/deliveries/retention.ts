import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';

/**
 * Deletes at most `limit` messages that were last announced before `instant`, with their deliveries and attempts; returns
 * how many. A message with a pending delivery stays. Each organization's messages are found by the index of its event
 * stream; rows that another transaction has locked are left to it.
 */
export async function deleteMessagesAnnouncedBefore(db: Db, instant: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with old as (
      select m.org_id, m.id from organizations o, lateral (
        select org_id, id from messages
        where org_id = o.id and announced_at < ${instant} and coalesce(repeated_at, announced_at) < ${instant}
          and not exists (
            select 1 from deliveries d
            where d.org_id = messages.org_id and d.message_id = messages.id and d.state = 'pending')
        order by announced_at, id limit ${limit}
        for update skip locked
      ) m limit ${limit}
    ), attempts as (
      delete from delivery_attempts a using old where a.org_id = old.org_id and a.message_id = old.id
    ), removed as (
      delete from messages m using old where m.org_id = old.org_id and m.id = old.id returning 1
    )
    select count(*)::integer as count from removed
  `.execute(db);
  return rows[0]?.count ?? 0;
}

/** Deletes at most `limit` attempts that began before `instant` from the logs of their deliveries; resolves to their number. */
export async function deleteAttemptsBefore(db: Db, instant: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from delivery_attempts where ctid = any(array(
      select ctid from delivery_attempts where started_at < ${instant}
      order by started_at limit ${sql.lit(limit)} for update skip locked))
  `.execute(db);
  return Number(numAffectedRows ?? 0n);
}
