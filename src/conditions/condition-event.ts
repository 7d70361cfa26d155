import type { Tx } from '../queries/connection/database.ts';
import { updateControlVersions } from '../queries/notifications/device-conditions.ts';
import type { ConditionKey } from '../queries/notifications/device-conditions.ts';

/**
 * A device's condition begins or ends at `now`. An event that is applied late (a planned fault, a call that waited for
 * another one) takes effect at the instant of the condition's last change, never before it.
 */
export interface ConditionEvent extends ConditionKey {
  readonly now: Date;
  /** When it is applied, where that is later than `now`: what was read by then stays, and how quarter hours that have begun are steered. */
  readonly appliedAt?: Date;
  /**
   * Where a transaction changes many devices: collects those that changed, of which it tells their households at its end
   * (`updateControlVersions`).
   */
  readonly changedDevices?: Set<string>;
  /** The call that raises it; none where a planned fault does. */
  readonly requestId?: string;
}

/** A condition begins; where it holds already it lasts until the later of both ends. */
export interface BeginningEvent extends ConditionEvent {
  /** When it ends by itself; without one it lasts until somebody ends it. */
  readonly endsAt?: Date | null;
}

export interface ConditionChange {
  /** False when the device was already in that condition, or out of it: then nothing was written. */
  readonly changed: boolean;
  /** When the condition began or ended. */
  readonly changedAt: Date;
}

/** Tells the device's household of a change, at once or with all that the transaction changes. */
export async function recordChange(
  tx: Tx,
  { orgId, deviceId, changedDevices }: Pick<ConditionEvent, 'orgId' | 'deviceId' | 'changedDevices'>,
): Promise<void> {
  if (changedDevices === undefined) await updateControlVersions(tx, orgId, [deviceId]);
  else changedDevices.add(deviceId);
}
