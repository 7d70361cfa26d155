import { sql } from 'kysely';
import type { ErrorClass } from '../../domain/notifications/retry.ts';
import type { Db } from '../connection/database.ts';
import type { LeasedSlot } from './in-flight-slots.ts';
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
 * Records a batch of attempts in one call and clears their slots. An attempt whose lease token is no longer in its
 * slot (the lease expired and another worker took the delivery) changes nothing and is not in the result. A delivery
 *  that was cancelled meanwhile stays cancelled unless it was in fact delivered. The call is no part of a transaction:
 * `record_attempts` in the migrations.
 */
export async function recordFinishedAttempts(
  db: Db,
  attempts: readonly FinishedAttempt[],
  now: Date,
): Promise<RecordedDelivery[]> {
  const { rows } = await sql<{ recorded: RecordedDelivery[] }>`
    call record_attempts(${JSON.stringify(attempts)}::jsonb, ${now}, null)
  `.execute(db);
  return rows[0]?.recorded ?? [];
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
  await sql`call cancel_unwanted_deliveries(${JSON.stringify(unwanted)}::jsonb, ${now})`.execute(db);
}
