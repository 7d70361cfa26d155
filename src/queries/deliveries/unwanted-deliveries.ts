import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import type { CancelledDeliveries, CancelReason } from './deliveries.ts';
import { addToPendingCounts, CANCELLING_SHARD } from './pending-counts.ts';

/*
 * A webhook that is deleted or disabled wants none of its pending deliveries, another one wants those of its topics. The call
 * that makes some unwanted looks at the first 1,000 in its own transaction. Where more are pending it leaves a mark at the webhook, and
 * the dispatcher looks at the rest in pieces (src/webhooks/left-deliveries.ts). As long as the mark is there nothing becomes wanted
 * again, so that what was unwanted once is never sent: a claim does not send what its webhook does not want.
 */

/** Pending deliveries that one transaction looks at: some 20 ms of its time. */
export const CANCEL_PIECE = 1_000;

/** Partners of one reading: each has a piece before the next one. */
const PARTNERS_PAGE = 100;
/** Webhooks of a partner of which deliveries are cancelled in turn: ten times as many as it may have by default. */
const MOST_WEBHOOKS = 1_000;

export interface WebhookKey {
  readonly orgId: string;
  readonly webhookId: string;
}

/** A webhook of which a call has left unwanted deliveries. */
export interface CancellingWebhook extends WebhookKey {
  readonly mark: string;
}

/**
 * Behind which pending delivery of a webhook the next piece begins: first attempts come before retries, in both what is due first. A delivery
 * that is attempted meanwhile moves on in this order, so that none is passed by.
 */
export interface QueuePlace {
  readonly isRetry: boolean;
  readonly dueAt: Date;
  readonly messageId: string;
}

const NIL_UUID = '00000000-0000-0000-0000-000000000000';
const FIRST_ATTEMPTS: QueuePlace = { isRetry: false, dueAt: new Date(0), messageId: NIL_UUID };
const RETRIES: QueuePlace = { ...FIRST_ATTEMPTS, isRetry: true };

export interface CancelledPiece extends CancelledDeliveries {
  /** Pending deliveries that were looked at, wanted ones too. */
  readonly seen: number;
  /** Undefined when no pending delivery is left behind them. */
  readonly next: QueuePlace | undefined;
}

/**
 * Cancels what a webhook does not want among its next `limit` pending deliveries. One in flight keeps its slot, so that its result is
 * still logged, but it is not scheduled again. Each statement gets the ids of the former as values: where they came of the same statement, the
 * planner looked for each of them in all of the webhook's deliveries while it did not know yet how many these are.
 */
export async function cancelUnwantedPiece(
  tx: Tx,
  key: WebhookKey,
  now: Date,
  place: QueuePlace = FIRST_ATTEMPTS,
  limit = CANCEL_PIECE,
): Promise<CancelledPiece> {
  const { reason, topics } = await lockWishes(tx, key);
  const { rows: seen } = await sql<Omit<QueuePlace, 'isRetry'>>`
    select message_id as "messageId", due_at as "dueAt" from deliveries
    where state = 'pending' and is_retry = ${place.isRetry} and org_id = ${key.orgId} and webhook_id = ${key.webhookId}
      and (due_at, message_id) > (${place.dueAt}, ${place.messageId})
    order by due_at, message_id limit ${sql.lit(limit)}
  `.execute(tx);
  const ids = seen.map(({ messageId }) => messageId);
  const unwanted = reason === 'topic_removed' ? await filterUnwanted(tx, key.orgId, ids, topics) : ids;
  const count = await cancelPending(tx, key, unwanted, reason, now);
  const last = seen.length === limit ? seen.at(-1) : undefined;
  const behind = place.isRetry ? undefined : RETRIES;
  const next = last === undefined ? behind : { isRetry: place.isRetry, ...last };
  return { reason, count, seen: seen.length, next };
}

/** What a webhook wants, until the transaction ends: messages of its topics, unless the reason is another one. */
async function lockWishes(
  tx: Tx,
  { orgId, webhookId }: WebhookKey,
): Promise<{ readonly reason: CancelReason; readonly topics: readonly string[] }> {
  const webhook = await tx
    .selectFrom('webhooks')
    .select(['deleted_at', 'enabled', 'topics'])
    .where('org_id', '=', orgId)
    .where('id', '=', webhookId)
    .forShare()
    .executeTakeFirst();
  if (webhook === undefined || webhook.deleted_at !== null) return { reason: 'deleted', topics: [] };
  return { reason: webhook.enabled ? 'topic_removed' : 'disabled', topics: webhook.topics };
}

async function filterUnwanted(
  tx: Tx,
  orgId: string,
  ids: readonly string[],
  topics: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from messages
    where org_id = ${orgId} and id = any(${ids}::uuid[]) and not (message_type = any(${topics}::text[]))
  `.execute(tx);
  return rows.map(({ id }) => id);
}

/** The number of those that were still pending. Rows are locked in key order, as `recordFinishedAttempts` does. */
async function cancelPending(
  tx: Tx,
  { orgId, webhookId }: WebhookKey,
  ids: readonly string[],
  reason: CancelReason,
  now: Date,
): Promise<number> {
  if (ids.length === 0) return 0;
  const isMeant = sql`org_id = ${orgId} and webhook_id = ${webhookId} and state = 'pending' and message_id = any(${ids}::uuid[])`;
  await sql`select from deliveries where ${isMeant} order by message_id for update`.execute(tx);
  const { numAffectedRows = 0n } = await sql`
    update deliveries set state = 'cancelled', cancel_reason = ${reason}, finished_at = ${now} where ${isMeant}
  `.execute(tx);
  const count = Number(numAffectedRows);
  await addToPendingCounts(tx, orgId, CANCELLING_SHARD, -count);
  return count;
}

/**
 * Cancels what a webhook that has just changed does not want among its first `limit` pending deliveries, and leaves a mark where more
 * are pending.
 */
export async function cancelFirstUnwanted(
  tx: Tx,
  key: WebhookKey,
  now: Date,
  limit = CANCEL_PIECE,
): Promise<CancelledPiece> {
  let piece: CancelledPiece = { reason: 'deleted', count: 0, seen: 0, next: FIRST_ATTEMPTS };
  while (piece.next !== undefined && piece.seen < limit) {
    const { reason, count, seen, next } = await cancelUnwantedPiece(
      tx,
      key,
      now,
      piece.next,
      limit - piece.seen,
    );
    piece = { reason, count: piece.count + count, seen: piece.seen + seen, next };
  }
  if (piece.next !== undefined) {
    await tx
      .updateTable('webhooks')
      .set({ cancelling_mark: randomUUID() })
      .where('org_id', '=', key.orgId)
      .where('id', '=', key.webhookId)
      .execute();
  }
  return piece;
}

/** The next partners, by id, of which calls have left unwanted deliveries, in whichever of their organizations. */
export async function listCancellingPartners(db: Db, after = NIL_UUID): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct coalesce(o.parent_org_id, o.id) as id from webhooks w join organizations o on o.id = w.org_id
    where w.cancelling_mark is not null and coalesce(o.parent_org_id, o.id) > ${after}
    order by id limit ${sql.lit(PARTNERS_PAGE)}
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Webhooks of a partner with all its organizations of which calls have left unwanted deliveries. */
export async function listCancellingWebhooks(db: Db, partnerId: string): Promise<CancellingWebhook[]> {
  const { rows } = await sql<CancellingWebhook>`
    select org_id as "orgId", id as "webhookId", cancelling_mark as mark from webhooks
    where cancelling_mark is not null
      and org_id in (select id from organizations where id = ${partnerId} or parent_org_id = ${partnerId})
    order by org_id, id limit ${sql.lit(MOST_WEBHOOKS)}
  `.execute(db);
  return rows;
}

/** Takes the mark away, unless a later call has left another. */
export async function endCancelling(db: Db, { orgId, webhookId, mark }: CancellingWebhook): Promise<void> {
  await db
    .updateTable('webhooks')
    .set({ cancelling_mark: null })
    .where('org_id', '=', orgId)
    .where('id', '=', webhookId)
    .where('cancelling_mark', '=', mark)
    .execute();
}
