import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

/** A message as it is sent: the body byte for byte. */
export interface NewMessage {
  readonly org_id: string;
  readonly id: string;
  readonly message_type: string;
  readonly occurred_at: Date;
  readonly payload: Buffer;
  /** The call that raised the event; the attempt log shows it. */
  readonly request_id?: string | undefined;
}

/** Why a pending delivery was dropped. */
export type CancelReason = 'disabled' | 'deleted' | 'topic_removed';

export interface Cancelled {
  readonly reason: CancelReason;
  readonly count: number;
}

/**
 * Writes a message and one delivery for each webhook of the organization that is enabled and
 * subscribed now, in the event's own transaction; tells how many. The share lock makes a concurrent
 * disable wait, so that it finds and cancels these deliveries. Wake the dispatcher after the commit.
 */
export async function insertMessage(tx: Tx, message: NewMessage, now: Date): Promise<number> {
  const result = await sql`
    with targets as (
      select id from webhooks
      where org_id = ${message.org_id} and enabled and deleted_at is null
        and topics @> array[${message.message_type}]::text[]
      for share
    ), message as (
      insert into messages (org_id, id, message_type, occurred_at, payload, created_at)
      values (${message.org_id}, ${message.id}, ${message.message_type}, ${message.occurred_at},
              ${message.payload}, ${now})
    )
    insert into deliveries (org_id, message_id, webhook_id, due_at, created_at, request_id)
    select ${message.org_id}::uuid, ${message.id}::uuid, targets.id, ${now}::timestamptz, ${now}::timestamptz,
      ${message.request_id ?? null}::text
    from targets
  `.execute(tx);
  return Number(result.numAffectedRows ?? 0n);
}

interface CancelScope {
  readonly orgId: string;
  readonly webhookId: string;
  readonly reason: CancelReason;
  /** Deliveries of these topics stay. */
  readonly keptTopics?: readonly string[];
}

/**
 * Cancels a webhook's pending deliveries. One in flight keeps its place, so that its result is still
 * logged, but it is not scheduled again. Rows are locked in key order, as `finishDeliveries` does.
 */
export async function cancelDeliveries(tx: Tx, scope: CancelScope, now: Date): Promise<Cancelled> {
  const result = await sql`
    with doomed as (
      select d.org_id, d.message_id, d.webhook_id
      from deliveries d join messages m on m.org_id = d.org_id and m.id = d.message_id
      where d.org_id = ${scope.orgId} and d.webhook_id = ${scope.webhookId} and d.state = 'pending'
        and not (m.message_type = any(${[...(scope.keptTopics ?? [])]}::text[]))
      order by d.message_id, d.webhook_id
      for update of d
    )
    update deliveries d
    set state = 'cancelled', cancel_reason = ${scope.reason}, finished_at = ${now}
    from doomed
    where d.org_id = doomed.org_id and d.message_id = doomed.message_id and d.webhook_id = doomed.webhook_id
  `.execute(tx);
  return { reason: scope.reason, count: Number(result.numAffectedRows ?? 0n) };
}

/** When the next delivery that nobody is attempting is due; undefined when there is none. */
export async function findNextDueAt(db: Db | Tx): Promise<Date | undefined> {
  const { rows } = await sql<{ due_at: Date }>`/* planned */
    select due_at from deliveries
    where state = 'pending'
      and (message_id, webhook_id) not in (
        select message_id, webhook_id from delivery_places where message_id is not null)
    order by due_at limit 1
  `.execute(db);
  return rows[0]?.due_at;
}

export interface Backlog {
  readonly pending: number;
  /** Of them, under way. */
  readonly underWay: number;
  /** Since when the oldest one waits that could be sent. */
  readonly oldestDueAt: Date | undefined;
}

/** What is left to deliver, over all organizations; counted from indexes of the pending rows alone. */
export async function readBacklog(db: Db): Promise<Backlog> {
  const { rows } = await sql<{ pending: number; under_way: number }>`
    select (select count(*) from deliveries where state = 'pending') as pending,
      (select count(*) from delivery_places p join deliveries d using (org_id, message_id, webhook_id)
       where d.state = 'pending') as under_way
  `.execute(db);
  const { pending = 0, under_way: underWay = 0 } = rows[0] ?? {};
  return { pending, underWay, oldestDueAt: await findNextDueAt(db) };
}

/** The channel on which processes tell each other that deliveries are due. */
export const deliveriesChannel = 'deliveries';

/** Wakes the dispatchers of all processes; call it through a throttle, never inside an event's transaction. */
export async function notifyDispatchers(db: Db | Tx): Promise<void> {
  await sql`select pg_notify(${deliveriesChannel}, '')`.execute(db);
}
