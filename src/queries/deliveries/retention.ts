import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { deleteBatch } from '../connection/delete-batch.ts';
import { unnestRows } from '../connection/rows.ts';

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
  return deleteBatch(db, 'delivery_attempts', sql`where started_at < ${instant} order by started_at`, limit);
}

/**
 * Removes webhooks that were deleted before `instant`, with their deliveries and attempts, at most `limit` deliveries or webhooks at
 * a time; resolves to how many, and to `limit` when more may be left. Deliveries go first: a removal that is interrupted
 * goes on where it ended. Messages are locked before deliveries, as where they are removed themselves; rows that others have locked
 * are left for the next round.
 */
export function deleteWebhooksDeletedBefore(db: Db, instant: Date, limit: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const { rows: webhooks } = await sql<WebhookKey>`
      select org_id, id from webhooks where deleted_at < ${instant}
      order by deleted_at limit ${sql.lit(limit)} for update skip locked
    `.execute(tx);
    if (webhooks.length === 0) return 0;
    if ((await deleteDeliveriesOf(tx, webhooks, limit)) > 0) return limit;
    const { numAffectedRows } = await sql`
      delete from webhooks using ${unnestRows(webhooks, { org_id: 'uuid', id: 'uuid' })}
      where webhooks.org_id = rows.org_id and webhooks.id = rows.id
        and not exists (select from deliveries where org_id = webhooks.org_id and webhook_id = webhooks.id)
    `.execute(tx);
    return Number(numAffectedRows ?? 0n);
  });
}

interface WebhookKey {
  readonly org_id: string;
  readonly id: string;
}

async function deleteDeliveriesOf(tx: Tx, webhooks: readonly WebhookKey[], limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with old as (
      select d.org_id, d.message_id, d.webhook_id
      from ${unnestRows(webhooks, { org_id: 'uuid', id: 'uuid' })}, lateral (
        -- In the order of its log, whose index leads to a webhook that few of the deliveries are for.
        select d.org_id, d.message_id, d.webhook_id
        from messages m join deliveries d on d.org_id = m.org_id and d.message_id = m.id
        where d.org_id = rows.org_id and d.webhook_id = rows.id
        order by d.created_at, d.message_id limit ${sql.lit(limit)}
        for key share of m skip locked for update of d skip locked
      ) d
      limit ${sql.lit(limit)}
    ), attempts as (
      delete from delivery_attempts a using old
      where a.org_id = old.org_id and a.message_id = old.message_id and a.webhook_id = old.webhook_id
    ), removed as (
      delete from deliveries d using old
      where d.org_id = old.org_id and d.message_id = old.message_id and d.webhook_id = old.webhook_id
      returning 1
    )
    select count(*)::integer as count from removed
  `.execute(tx);
  return rows[0]?.count ?? 0;
}
