import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { deleteBatch } from '../connection/delete-batch.ts';
import { listDeletedUpTo } from '../connection/newest-kept.ts';
import type { DeletedRow } from '../connection/newest-kept.ts';
import { unnestRows } from '../connection/rows.ts';

/** A message in its organization's stream of events: the removal of old ones goes on behind it. */
export interface MessagePlace {
  readonly announcedAt: Date;
  readonly id: string;
}

/** What of an organization's old messages was removed, and the last one looked at; undefined when they have all been. */
export interface RemovedMessages {
  readonly count: number;
  readonly next: MessagePlace | undefined;
}

/** Organizations, among them all that have messages which were announced before `instant`. */
export async function listOrganizationsWithOldMessages(db: Db, instant: Date): Promise<string[]> {
  const { rows } = await sql<{ org_id: string }>`
    select org_id from list_organizations_with_old_messages(${instant}) as found (org_id)
  `.execute(db);
  return rows.map(({ org_id }) => org_id);
}

/**
 * Looks at the next `limit` messages of an organization that were announced before `instant`, by the index of its event stream, and
 * deletes those that were not repeated since, with their deliveries and attempts. A message with a pending delivery stays, and rows that
 * another transaction has locked are left to it: what stays is passed over once, whatever it is.
 */
export async function deleteOldMessages(
  db: Db,
  orgId: string,
  instant: Date,
  limit: number,
  after?: MessagePlace,
): Promise<RemovedMessages> {
  const behind =
    after === undefined ? sql`` : sql`and (announced_at, id) > (${after.announcedAt}, ${after.id}::uuid)`;
  const { rows } = await sql<MessagePlace>`
    select announced_at as "announcedAt", id from messages
    where org_id = ${orgId} and announced_at < ${instant} ${behind}
    order by announced_at, id limit ${sql.lit(limit)}
  `.execute(db);
  const next = rows.length < limit ? undefined : rows.at(-1);
  if (rows.length === 0) return { count: 0, next };
  const ids = rows.map(({ id }) => id);
  return { count: await db.transaction().execute((tx) => deleteFinished(tx, orgId, instant, ids)), next };
}

/** Deletes those of the messages that were last announced before `instant` and of which no delivery is pending; how many. */
async function deleteFinished(tx: Tx, orgId: string, instant: Date, ids: readonly string[]): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    select id from messages
    where org_id = ${orgId} and id = any(${ids}::uuid[]) and coalesce(repeated_at, announced_at) < ${instant}
      and not exists (
        select from deliveries d where d.org_id = ${orgId} and d.message_id = messages.id and d.state = 'pending')
    for update skip locked
  `.execute(tx);
  if (rows.length === 0) return 0;
  const old = rows.map(({ id }) => id);
  await sql`delete from delivery_attempts where org_id = ${orgId} and message_id = any(${old}::uuid[])`.execute(
    tx,
  );
  const { numAffectedRows = 0n } =
    await sql`delete from messages where org_id = ${orgId} and id = any(${old}::uuid[])`.execute(tx);
  return Number(numAffectedRows);
}

/** Deletes at most `limit` attempts that began before `instant` from the logs of their deliveries; resolves to their number. */
export async function deleteAttemptsBefore(db: Db, instant: Date, limit: number): Promise<number> {
  return deleteBatch(db, 'delivery_attempts', sql`where started_at < ${instant} order by started_at`, limit);
}

/**
 * Removes webhooks that were deleted before `instant`, with their deliveries and attempts, at most `limit` deliveries or webhooks at
 * a time; resolves to how many, and to `limit` when more may be left. Deliveries go first: a removal that is interrupted
 * goes on where it ended. Messages are locked before deliveries, as where they are removed themselves; rows that others have locked
 * are left for the next round, as are webhooks whose deliveries are still being cancelled. Each organization has a transaction of its own.
 */
export async function deleteWebhooksDeletedBefore(db: Db, instant: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ org_id: string; id: string }>`
    select org_id, id from webhooks where deleted_at < ${instant} order by deleted_at limit ${sql.lit(limit)}
  `.execute(db);
  let removed = 0;
  for (const [orgId, webhooks] of Map.groupBy(rows, ({ org_id }) => org_id)) {
    const ids = webhooks.map(({ id }) => id);
    const gone = await db.transaction().execute((tx) => deleteWebhooksOf(tx, orgId, ids, limit));
    if (gone === 'deliveries') return limit;
    removed += gone;
  }
  return removed;
}

/** The same of one organization's webhooks up to a deleted one; resolves to whether more of them may be left. */
export async function deleteWebhooksUpTo(
  db: Db,
  orgId: string,
  last: DeletedRow,
  limit: number,
): Promise<boolean> {
  const ids = await listDeletedUpTo(db, 'webhooks', orgId, last, limit);
  if (ids.length === 0) return false;
  const gone = await db.transaction().execute((tx) => deleteWebhooksOf(tx, orgId, ids, limit));
  return gone === 'deliveries' || gone === limit;
}

/** The number of webhooks that were removed, unless there were deliveries to remove. */
async function deleteWebhooksOf(
  tx: Tx,
  orgId: string,
  ids: readonly string[],
  limit: number,
): Promise<number | 'deliveries'> {
  const { rows } = await sql<{ id: string }>`
    select id from webhooks where org_id = ${orgId} and id = any(${ids}::uuid[]) and deleted_at is not null and cancelling_mark is null
    order by id for update skip locked
  `.execute(tx);
  const locked = rows.map(({ id }) => id);
  if (locked.length === 0) return 0;
  if ((await deleteDeliveriesOf(tx, orgId, locked, limit)) > 0) return 'deliveries';
  const { numAffectedRows } = await sql`
    delete from webhooks w
    where w.org_id = ${orgId} and w.id = any(${locked}::uuid[])
      and not exists (select from deliveries d where d.org_id = ${orgId} and d.webhook_id = w.id)
  `.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

async function deleteDeliveriesOf(
  tx: Tx,
  orgId: string,
  webhookIds: readonly string[],
  limit: number,
): Promise<number> {
  const { rows: old } = await sql<{ message_id: string; webhook_id: string }>`
    select d.message_id, d.webhook_id
    from unnest(${webhookIds}::uuid[]) as wanted (id), lateral (
      -- In the order of its log, whose index leads to a webhook that few of the deliveries are for.
      select d.message_id, d.webhook_id
      from messages m join deliveries d on d.org_id = m.org_id and d.message_id = m.id
      where m.org_id = ${orgId} and d.org_id = ${orgId} and d.webhook_id = wanted.id
      order by d.created_at, d.message_id limit ${sql.lit(limit)}
      for key share of m skip locked for update of d skip locked
    ) d
    limit ${sql.lit(limit)}
  `.execute(tx);
  if (old.length === 0) return 0;
  const isOld = sql`(message_id, webhook_id) in (select message_id, webhook_id from ${unnestRows(old, { message_id: 'uuid', webhook_id: 'uuid' })})`;
  await sql`delete from delivery_attempts where org_id = ${orgId} and ${isOld}`.execute(tx);
  await sql`delete from deliveries where org_id = ${orgId} and ${isOld}`.execute(tx);
  return old.length;
}
