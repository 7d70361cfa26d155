import { sql } from 'kysely';
import type { RecentEvent } from '../../domain/notifications/recent-event.ts';
import type { Db } from '../connection/database.ts';
import type { StreamCursor } from './events.ts';

/** Messages that are looked through for a topic: what a page costs does not grow with what was told. */
export const MOST_LOOKED_THROUGH = 2_000;

/** Which of an organization's messages. */
export interface EventFilter {
  readonly topic: string | undefined;
  /** Those that were announced behind it. */
  readonly after: StreamCursor | undefined;
}

/** The messages of an organization that the filter lets through, among the 2,000 newest, newest first. */
export async function listRecentEvents(
  db: Db,
  orgId: string,
  { topic, after }: EventFilter,
  limit: number,
): Promise<readonly RecentEvent[]> {
  const behind =
    after === undefined ? sql`` : sql`and (announced_at, id) > (${after.at}::timestamptz, ${after.id}::uuid)`;
  const ofTopic = topic === undefined ? sql`` : sql`where message_type = ${topic}`;
  const { rows } = await sql<RecentEvent>`
    select recent.id, recent.message_type as topic, recent.announced_at as at, m.payload
    from (
      select * from (
        select id, message_type, announced_at from messages where org_id = ${orgId} ${behind}
        order by announced_at desc, id desc limit ${sql.lit(MOST_LOOKED_THROUGH)}) newest
      ${ofTopic} order by announced_at desc, id desc limit ${limit}) recent
    join messages m on m.org_id = ${orgId} and m.id = recent.id
    order by recent.announced_at desc, recent.id desc
  `.execute(db);
  return rows;
}
