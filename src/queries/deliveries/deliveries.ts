import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { DEFAULT_QUOTAS } from '../../domain/api/quotas.ts';
import { showAnnouncing } from '../connection/announcing.ts';
import type { Db, Tx } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';
import { ADDING_SHARD, addToPendingCounts, CANCELLING_SHARD, selectPartnerOf } from './pending-counts.ts';

/** A message to be sent; `payload` is the body, byte for byte. */
export interface NewMessage {
  readonly org_id: string;
  readonly id: string;
  readonly message_type: string;
  readonly occurred_at: Date;
  readonly payload: Buffer;
  /** The call that raised the event; the attempt log shows it. */
  readonly request_id?: string | undefined;
}

/** Why a delivery was cancelled; `quota_reached`: before it was pending. */
export type CancelReason = 'disabled' | 'deleted' | 'topic_removed' | 'quota_reached';

export interface CancelledDeliveries {
  readonly reason: CancelReason;
  readonly count: number;
}

/** What became of an event's deliveries. */
export interface InsertedDeliveries {
  readonly pending: number;
  /** Cancelled at once, since the partner has as many pending ones as it may have. */
  readonly dropped: number;
}

/**
 * Inserts a message and one delivery for each webhook of the organization that is enabled and subscribed now, in the
 * event's own transaction. The share lock makes a concurrent disable wait, so that it finds and cancels these deliveries. They
 * are due at once, also where `now` is ahead of the database's clock. Wake the dispatcher after the commit.
 *
 * While fewer of the partner's deliveries are pending than it may have (`quota`, unless it has one of its own), all of them are
 * pending. Then only those are to webhooks for which none is; the others are cancelled at once. What transactions write that
 * have not committed is not known to each other: so much may be pending beyond the quota.
 */
export async function insertMessageWithDeliveries(
  tx: Tx,
  message: NewMessage,
  now: Date,
  quota: number = DEFAULT_QUOTAS.pending_deliveries,
): Promise<InsertedDeliveries> {
  const [inserted] = await insertMessage(tx, {
    ...message,
    request_id: message.request_id ?? null,
    now,
    quota,
  });
  return inserted ?? { pending: 0, dropped: 0 };
}

type MessageValues = Omit<NewMessage, 'request_id'> & {
  readonly request_id: string | null;
  readonly now: Date;
  readonly quota: number;
};

const insertMessage = prepare(
  (_db, message: MessageValues) => sql<InsertedDeliveries>`
    with targets as (
      select id from webhooks
      where org_id = ${message.org_id} and enabled and deleted_at is null
        and topics @> array[${message.message_type}]::text[]
      for share
    ), announcing as materialized (${showAnnouncing(message.org_id)}), message as (
      insert into messages (org_id, id, message_type, occurred_at, payload, created_at, announced_at)
      select ${message.org_id}::uuid, ${message.id}::uuid, ${message.message_type}::text,
        ${message.occurred_at}::timestamptz, ${message.payload}::bytea, ${message.now}::timestamptz, clock_timestamp()
      from announcing
    ), partner as materialized (
      select p.id, ${hasRoom(message.quota)} as has_room from (${selectPartnerOf(message.org_id)}) p where exists (select from targets)
    ), chosen as materialized (
      select t.id, partner.has_room or not exists (
        select from deliveries d
        where d.state = 'pending' and d.is_retry in (false, true) and d.org_id = ${message.org_id} and d.webhook_id = t.id
      ) as is_pending
      from targets t, partner
    ), counted as (${addToPendingCounts(sql`
      select partner.id, ${ADDING_SHARD}, count(*) from partner, chosen where chosen.is_pending group by partner.id`)}
    ), delivery as (
      insert into deliveries (org_id, message_id, webhook_id, due_at, created_at, request_id, state, cancel_reason,
        finished_at)
      select ${message.org_id}::uuid, ${message.id}::uuid, chosen.id, ${dueAtOnce(message.now)}, ${message.now}::timestamptz,
        ${message.request_id}::text, case when is_pending then 'pending' else 'cancelled' end,
        case when not is_pending then 'quota_reached' end, case when not is_pending then ${message.now}::timestamptz end
      from chosen
    )
    select count(*) filter (where is_pending)::integer as pending,
      count(*) filter (where not is_pending)::integer as dropped
    from chosen
  `,
);

/** Whether fewer deliveries of the partner `p` are pending than it may have. */
function hasRoom(quota: number): RawBuilder<boolean> {
  return sql`
    (select coalesce(sum(deliveries), 0) from pending_delivery_counts where org_id = p.id) < coalesce(
      (select q.quota from partner_quotas q where q.org_id = p.id and q.name = 'pending_deliveries'), ${quota}::bigint)`;
}

/** `now`, unless that has not come yet by the database's clock, which says what is due. */
export function dueAtOnce(now: Date): RawBuilder<Date> {
  return sql`least(${now}::timestamptz, date_trunc('milliseconds', now()))`;
}

interface CancelScope {
  readonly orgId: string;
  readonly webhookId: string;
  readonly reason: CancelReason;
  /** Deliveries of these topics stay. */
  readonly keptTopics?: readonly string[];
}

/**
 * Cancels a webhook's pending deliveries. One in flight keeps its slot, so that its result is still logged, but it is
 * not scheduled again. Rows are locked in key order, as `recordFinishedAttempts` does.
 */
export async function cancelPendingDeliveries(
  tx: Tx,
  scope: CancelScope,
  now: Date,
): Promise<CancelledDeliveries> {
  const { rows } = await sql<{ count: number }>`
    with unwanted as (
      select d.message_id, d.webhook_id
      from deliveries d join messages m on m.org_id = d.org_id and m.id = d.message_id
      where d.org_id = ${scope.orgId} and d.webhook_id = ${scope.webhookId} and d.state = 'pending'
        and not (m.message_type = any(${[...(scope.keptTopics ?? [])]}::text[]))
      order by d.message_id, d.webhook_id
      for update of d
    ), cancelled as (
      update deliveries d
      set state = 'cancelled', cancel_reason = ${scope.reason}, finished_at = ${now}
      from unwanted u
      where d.org_id = ${scope.orgId} and d.message_id = u.message_id and d.webhook_id = u.webhook_id
      returning 1
    ), counted as (${addToPendingCounts(sql`
      select p.id, ${CANCELLING_SHARD}, -count(*) from (${selectPartnerOf(scope.orgId)}) p, cancelled group by p.id`)}
    )
    select count(*)::integer as count from cancelled
  `.execute(tx);
  return { reason: scope.reason, count: rows[0]?.count ?? 0 };
}

/**
 * In how many milliseconds of the database's clock the next delivery is due that is not in flight, negative when it has been
 * due for so long; undefined when there is none.
 */
export async function findNextDeliveryDueInMs(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number }>`
    select (extract(epoch from due_at - clock_timestamp()) * 1000)::double precision as ms from deliveries
    where state = 'pending'
      and (message_id, webhook_id) not in (
        select message_id, webhook_id from in_flight_slots where message_id is not null)
    order by due_at limit 1
  `.execute(db);
  return rows[0]?.ms;
}

export interface DeliveryQueueStatus {
  readonly pending: number;
  /** Those of them with an attempt in flight. */
  readonly inFlight: number;
  /** For how many milliseconds the oldest of the others has been due; 0 when none is. */
  readonly oldestDueMs: number;
}

/** What is left to deliver, over all organizations; counted from indexes of the pending rows alone. */
export async function readDeliveryQueueStatus(db: Db): Promise<DeliveryQueueStatus> {
  const { rows } = await sql<{ pending: number; in_flight: number }>`
    select (select count(*) from deliveries where state = 'pending') as pending,
      (select count(*) from in_flight_slots s join deliveries d using (org_id, message_id, webhook_id)
       where d.state = 'pending') as in_flight
  `.execute(db);
  const { pending = 0, in_flight: inFlight = 0 } = rows[0] ?? {};
  return { pending, inFlight, oldestDueMs: Math.max(0, -((await findNextDeliveryDueInMs(db)) ?? 0)) };
}

/** The NOTIFY channel that wakes dispatchers: deliveries are due. */
export const DELIVERIES_CHANNEL = 'deliveries';

/** Wakes the dispatchers of all processes. Call it through a throttle, never inside an event's transaction. */
export async function notifyDispatchers(db: Db | Tx): Promise<void> {
  await sql`select pg_notify(${DELIVERIES_CHANNEL}, '')`.execute(db);
}
