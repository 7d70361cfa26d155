import type { AttemptOutcome } from '../domain/notifications/retry.ts';
import type { CancelReason } from '../queries/deliveries/deliveries.ts';

/** What the dispatcher counts. */
export interface DeliveryMetrics {
  attemptEnded(outcome: AttemptOutcome, durationMs: number): void;
  /** Deliveries that have ended; cancelled ones are counted apart. */
  deliveriesFinished(state: 'delivered' | 'exhausted', count: number): void;
  /** A message was received at its `attempt`-th attempt, this long after its event. */
  messageReceived(sinceEventMs: number, attempt: number): void;
  /** Leases released because their worker was gone or they had expired. */
  leasesReleased(count: number): void;
  /** Deliveries that their webhook did not want any more, or that were too many. */
  deliveriesCancelled(reason: CancelReason, count: number): void;
  /** Attempts whose lease had been released before their result came. */
  resultsSuperseded(count: number): void;
}
