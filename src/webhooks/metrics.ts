import type { AttemptOutcome } from '../domain/notifications/retry.ts';
import type { CancelReason } from '../queries/deliveries/deliveries.ts';

/** What the dispatcher counts. */
export interface DeliveryMetrics {
  attempted(outcome: AttemptOutcome, durationMs: number): void;
  /** Messages that have come to their end; those dropped are counted apart. */
  finished(state: 'delivered' | 'exhausted', count: number): void;
  /** A message arrived at its `attempt`-th attempt, this long after its event. */
  received(sinceEventMs: number, attempt: number): void;
  /** Deliveries taken from workers that died or outlasted their lease. */
  reclaimed(count: number): void;
  /** Deliveries that the dispatcher found unwanted. */
  cancelled(reason: CancelReason, count: number): void;
  /** Attempts whose lease had run out before their result came. */
  superseded(count: number): void;
}
