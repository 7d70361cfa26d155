import { sql } from 'kysely';
import { listAnnouncing, showAnnouncing } from '../connection/announcing.ts';
import type { Db, Tx } from '../connection/database.ts';
import { toColumns } from '../connection/rows.ts';

/** A position in an organization's stream of events: behind the message announced at this instant with this id. */
export interface StreamCursor {
  readonly at: Date;
  readonly id: string;
}

/** A message as it is announced: the envelope byte for byte. */
export interface AnnouncedMessage extends StreamCursor {
  readonly payload: Buffer;
}

export interface AnnouncedPage {
  readonly messages: AnnouncedMessage[];
  /** Whether there is more: to be read at once; soon, when open transactions have ended; or nothing yet. */
  readonly more: 'now' | 'soon' | 'no';
}

/** The lowest id: a cursor with it is before every message of its instant. */
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** The cursor behind all messages that were announced up to now, by the database's clock. */
export async function readStreamEndCursor(db: Db): Promise<StreamCursor> {
  const { rows } = await sql<{
    at: Date;
  }>`select date_trunc('milliseconds', clock_timestamp()) as at`.execute(db);
  return { at: requireInstant(rows), id: NIL_UUID };
}

/** The cursor behind a message's first announcement; undefined when the organization has no such message. */
export async function findStreamCursor(db: Db, orgId: string, id: string): Promise<StreamCursor | undefined> {
  return db
    .selectFrom('messages')
    .select(['announced_at as at', 'id'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/**
 * Up to `limit` messages behind a cursor, in the order of their announcement. A message becomes visible when its
 * transaction commits, which may be after a later message was read. So the page ends before the oldest open transaction
 * began that announces messages of the organization: a reader that continues behind it misses nothing, and waits for no
 * other organization. (Roles that may not see each other's transactions must not share the database.)
 */
export async function listAnnouncedMessages(
  db: Db,
  orgId: string,
  after: StreamCursor,
  limit: number,
): Promise<AnnouncedPage> {
  // A separate statement, so that the next one sees whatever commits after it.
  const horizon = await readVisibilityHorizon(db, orgId);
  const behind = (column: 'announced_at' | 'repeated_at') => sql`
    select ${sql.ref(column)} as at, id from messages
    where org_id = ${orgId} and (${sql.ref(column)}, id) > (${after.at}::timestamptz, ${after.id}::uuid)
    order by ${sql.ref(column)}, id limit ${limit}`;
  const { rows } = await sql<AnnouncedMessage>`
    select announced.at, announced.id, m.payload
    from ((${behind('announced_at')}) union all (${behind('repeated_at')}) order by at, id limit ${limit}) announced
    join messages m on m.org_id = ${orgId} and m.id = announced.id
    order by announced.at, announced.id
  `.execute(db);
  const messages = rows.filter(({ at }) => at < horizon);
  const isFull = rows.length === limit && messages.length === limit;
  return { messages, more: isFull ? 'now' : messages.length < rows.length ? 'soon' : 'no' };
}

/**
 * Whoever does not show by now that it announces will announce later than this statement began; whoever does not show it any more
 * has committed what the next statement reads.
 */
async function readVisibilityHorizon(db: Db, orgId: string): Promise<Date> {
  // A millisecond less, since announcements are rounded to one.
  const { rows } = await sql<{ at: Date }>`
    select date_trunc('milliseconds', least(statement_timestamp(), min(xact_start))) - interval '1 millisecond' as at
    from (${listAnnouncing(orgId)}) announcing
  `.execute(db);
  return requireInstant(rows);
}

/** Announces a message again, at the end of its organization's stream. Wake the streams after the commit. */
export async function reannounceMessage(tx: Tx, orgId: string, id: string): Promise<void> {
  await reannounceMessages(tx, orgId, [id]);
}

/** The same for several messages. */
export async function reannounceMessages(tx: Tx, orgId: string, ids: readonly string[]): Promise<void> {
  const at = await showAndReadInstant(tx, orgId);
  await sql`
    update messages set repeated_at = ${at}
    where org_id = ${orgId} and id = any(${[...ids]}::uuid[])
  `.execute(tx);
}

/** The instant of an announcement, by the database's clock, from which on the transaction shows that it announces. */
async function showAndReadInstant(tx: Tx, orgId: string): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`
    with announcing as materialized (${showAnnouncing(orgId)}) select clock_timestamp() as at from announcing
  `.execute(tx);
  return requireInstant(rows);
}

function requireInstant([row]: readonly { readonly at: Date }[]): Date {
  if (row === undefined) throw new Error('The database returned no current time.');
  return row.at;
}

/** The NOTIFY channel that wakes event streams: messages were announced. */
export const EVENTS_CHANNEL = 'events';

/** Wakes the event streams of all processes. Call it through a throttle, never inside an event's transaction. */
export async function notifyStreams(db: Db, payload: string): Promise<void> {
  await sql`select pg_notify(${EVENTS_CHANNEL}, ${payload})`.execute(db);
}

/** Those of the organizations that have messages behind their cursor. */
export async function listOrganizationsWithNews(
  db: Db,
  cursors: readonly (StreamCursor & { readonly orgId: string })[],
): Promise<string[]> {
  const { orgId, at, id } = toColumns(cursors, { orgId: 'uuid', at: 'timestamptz', id: 'uuid' });
  const { rows } = await sql<{ org_id: string }>`
    select org_id from list_organizations_with_news(${orgId}::uuid[], ${at}::timestamptz[], ${id}::uuid[])
  `.execute(db);
  return rows.map(({ org_id }) => org_id);
}
