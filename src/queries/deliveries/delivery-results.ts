import { sql } from 'kysely';
import type { ErrorClass } from '../../domain/notifications/retry.ts';
import type { Db } from '../connection/database.ts';
import { addToPendingCounts, WORKER_SHARD } from './pending-counts.ts';
import { slotCleared, type LeasedSlot } from './in-flight-slots.ts';
import type { ClaimedDelivery } from './delivery-queue.ts';

/** The result of one attempt, and the delivery's state after it. */
export interface FinishedAttempt extends LeasedSlot {
  readonly state: 'pending' | 'delivered' | 'exhausted';
  /** After how long, by the database's clock from the recording on, a pending delivery is due again. */
  readonly retry_after_ms: number | undefined;
  readonly started_at: Date;
  readonly duration_ms: number;
  readonly error_class: ErrorClass | undefined;
  readonly status_code: number | undefined;
  readonly detail: string | undefined;
  readonly address: string | undefined;
  readonly secret_version: number;
  /** Where the time went; undefined for what the attempt did not come to. */
  readonly lookup_ms?: number | undefined;
  readonly connect_ms?: number | undefined;
  readonly tls_ms?: number | undefined;
  readonly answer_ms?: number | undefined;
}

/** A delivery whose result was recorded, with its state after that. */
export interface RecordedDelivery {
  readonly message_id: string;
  readonly webhook_id: string;
  readonly state: string;
}

/**
 * Records a batch of attempts in one statement and clears their slots. An attempt whose lease token is no longer in its
 * slot (the lease expired and another worker took the delivery) changes nothing and is not in the result. A delivery
 * that was cancelled meanwhile stays cancelled unless it was in fact delivered. The statement is
 * `record_finished_attempts` in the migrations.
 */
export async function recordFinishedAttempts(
  db: Db,
  attempts: readonly FinishedAttempt[],
  now: Date,
): Promise<RecordedDelivery[]> {
  const { rows } = await sql<RecordedDelivery>`
    select message_id, webhook_id, state from record_finished_attempts(${JSON.stringify(attempts)}::jsonb, ${now})
  `.execute(db);
  return rows;
}

/** Cancels leased deliveries that their webhook does not want any more, each with its reason, and clears their slots. */
export async function cancelUnwantedDeliveries(
  db: Db,
  deliveries: readonly ClaimedDelivery[],
  now: Date,
): Promise<void> {
  const unwanted = deliveries.map(({ worker_id, slot, lease_token, unwanted: reason }) => ({
    worker_id,
    slot,
    lease_token,
    reason,
  }));
  await sql`
    with leased as (
      select s.worker_id, s.slot, s.org_id, s.partner_id, s.message_id, s.webhook_id, r.reason
      from jsonb_to_recordset(${JSON.stringify(unwanted)}::jsonb)
        as r (worker_id integer, slot integer, lease_token uuid, reason text)
      join in_flight_slots s on s.worker_id = r.worker_id and s.slot = r.slot and s.lease_token = r.lease_token
      order by s.worker_id, s.slot
      for update of s
    ), cleared as (
      update in_flight_slots s set ${slotCleared}
      from leased where s.worker_id = leased.worker_id and s.slot = leased.slot
    ), cancelled as (
      update deliveries d
      set state = 'cancelled', cancel_reason = leased.reason, finished_at = ${now}
      from leased
      where d.org_id = leased.org_id and d.message_id = leased.message_id and d.webhook_id = leased.webhook_id
        and d.state = 'pending'
      returning leased.partner_id
    )
    ${addToPendingCounts(sql`
      select partner_id, ${WORKER_SHARD}, -count(*) from cancelled group by partner_id order by partner_id`)}
  `.execute(db);
}
