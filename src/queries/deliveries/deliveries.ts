import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { DEFAULT_QUOTAS } from '../../domain/api/quotas.ts';
import type { Db, Tx } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

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

export const NO_DELIVERIES: InsertedDeliveries = { pending: 0, dropped: 0 };

/**
 * Inserts a message and one delivery for each webhook of the organization that is enabled and subscribed now, in the
 * event's own transaction. The share lock makes a concurrent disable wait, so that it finds and cancels these deliveries. They
 * are due at once, also where `now` is ahead of the database's clock. Wake the dispatcher after the commit.
 *
 * While fewer of the partner's deliveries are pending than it may have (`quota`, unless it has one of its own), all of them are
 * pending. Then only those are to webhooks for which none is; the others are cancelled at once. What transactions write that
 * have not committed is not known to each other: so much may be pending beyond the quota. The statement is
 * `insert_message_with_deliveries` in the migrations.
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
  return inserted ?? NO_DELIVERIES;
}

type MessageValues = Omit<NewMessage, 'request_id'> & {
  readonly request_id: string | null;
  readonly now: Date;
  readonly quota: number;
};

const insertMessage = prepare(
  (_db, { org_id, id, message_type, occurred_at, payload, now, request_id, quota }: MessageValues) =>
    sql<InsertedDeliveries>`
      select pending, dropped from insert_message_with_deliveries(${org_id}, ${id}, ${message_type}, ${occurred_at}, ${payload},
        ${now}, ${request_id}, ${quota})
    `,
);

/** `now`, unless that has not come yet by the database's clock, which says what is due. */
export function dueAtOnce(now: Date): RawBuilder<Date> {
  return sql`least(${now}::timestamptz, date_trunc('milliseconds', now()))`;
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
