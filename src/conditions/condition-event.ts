import type { ConditionKey } from '../queries/notifications/device-conditions.ts';

/**
 * A device's condition begins or ends at `now`. An event that is applied late (a planned fault, a call that waited for
 * another one) takes effect at the instant of the condition's last change, never before it.
 */
export interface ConditionEvent extends ConditionKey {
  readonly now: Date;
  /** The call that raises it; none where a planned fault does. */
  readonly requestId?: string;
}

export interface ConditionChange {
  /** False when the device was already in that condition, or out of it: then nothing was written. */
  readonly changed: boolean;
  /** When the condition began or ended. */
  readonly changedAt: Date;
}
