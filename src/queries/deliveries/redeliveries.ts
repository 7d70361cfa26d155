import { sql } from 'kysely';
import type { RawBuilder, SqlBool } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { dueAtOnce } from './deliveries.ts';
import { ADDING_SHARD, addToPendingCounts } from './pending-counts.ts';

/** Which exhausted deliveries of a webhook are sent again: those of a span of time that have not been in this run. */
export interface RedeliveryRun {
  readonly orgId: string;
  readonly webhookId: string;
  readonly since: Date;
  readonly until: Date;
  /** It stands at every delivery of the run as the request that caused its next attempt. */
  readonly id: string;
}

/** A count ends there. */
export const MOST_COUNTED = 10_000;

/** How many of the run are left, up to 10,000; only messages to which the webhook is subscribed now. */
export async function countRedeliverable(db: Db, run: RedeliveryRun): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from deliveries d
      join webhooks w on w.org_id = d.org_id and w.id = d.webhook_id
      join messages m on m.org_id = d.org_id and m.id = d.message_id
      where ${isLeft(run)}
      limit ${sql.lit(MOST_COUNTED)}
    ) counted
  `.execute(db);
  return rows[0]?.count ?? 0;
}

/**
 * Makes the oldest `limit` of those that are left due again; their attempts stay. The ids of their messages, none when the webhook is
 * disabled. It is locked in share mode first, as `insertMessageWithDeliveries` does, then the messages, so that no removal of old ones
 * takes them meanwhile, and deliveries in the order of their keys.
 */
export async function requeueExhausted(
  tx: Tx,
  run: RedeliveryRun,
  limit: number,
  now: Date,
): Promise<string[]> {
  const { rows } = await sql<{ message_id: string }>`
    with wanting as (
      select org_id, id, topics from webhooks
      where org_id = ${run.orgId} and id = ${run.webhookId} and enabled and deleted_at is null
      for share
    ), chosen as materialized (
      select d.message_id from wanting w
      join deliveries d on d.org_id = ${run.orgId} and d.webhook_id = w.id
      join messages m on m.org_id = d.org_id and m.id = d.message_id
      where ${isLeft(run)}
      order by d.created_at, d.message_id
      limit ${limit}
      for key share of m
    ), locked as (
      select d.message_id from deliveries d
      where d.org_id = ${run.orgId} and d.webhook_id = ${run.webhookId} and d.state = 'exhausted'
        and d.message_id in (select message_id from chosen)
      order by d.message_id
      for update of d
    ), requeued as (
      update deliveries d
      set state = 'pending', due_at = ${dueAtOnce(now)}, finished_at = null, request_id = ${run.id}
      from locked l
      where d.org_id = ${run.orgId} and d.webhook_id = ${run.webhookId} and d.message_id = l.message_id
      returning d.message_id
    )
    select message_id from requeued
  `.execute(tx);
  await addToPendingCounts(tx, run.orgId, ADDING_SHARD, rows.length);
  return rows.map(({ message_id: id }) => id);
}

function isLeft({ orgId, webhookId, since, until, id }: RedeliveryRun): RawBuilder<SqlBool> {
  return sql<SqlBool>`
    d.org_id = ${orgId} and d.webhook_id = ${webhookId} and d.state = 'exhausted'
    and d.created_at >= ${since} and d.created_at <= ${until}
    and d.request_id is distinct from ${id} and w.topics @> array[m.message_type]`;
}
