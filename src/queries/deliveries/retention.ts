import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';

/**
 * Removes at most `limit` messages that were announced for the last time before `instant`, with their deliveries and
 * attempts; tells how many. One that is still to be delivered to a webhook stays. Each organization's are found by
 * its stream of events; what another process removes just now is passed over.
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
