import type { Outcome } from '../domain/retry.ts';
import type { CancelReason } from '../queries/deliveries.ts';

/** What the dispatcher counts. */
export interface DeliveryMetrics {
  attempted(outcome: Outcome, durationMs: number): void;
  /** Deliveries given up after their last attempt. */
  exhausted(count: number): void;
  /** Deliveries that the dispatcher found unwanted. */
  dropped(reason: CancelReason, count: number): void;
  /** Attempts whose lease had run out before their result came. */
  superseded(count: number): void;
}
