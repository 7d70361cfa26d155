import { DEFAULT_QUOTAS } from '../domain/api/quotas.ts';
import type { Tx } from '../queries/connection/database.ts';
import { NO_DELIVERIES } from '../queries/deliveries/deliveries.ts';
import type { InsertedDeliveries } from '../queries/deliveries/deliveries.ts';
import { findConditionDevice } from '../queries/notifications/condition-devices.ts';
import { activateCondition, extendCondition } from '../queries/notifications/device-conditions.ts';
import { recordChange } from './condition-event.ts';
import type { BeginningEvent, ConditionChange } from './condition-event.ts';
import { tellNotice } from './tell-notice.ts';

export interface RaisedCondition extends ConditionChange, InsertedDeliveries {
  /** The condition of this device has begun as often as it may (MAX_INTERRUPTIONS); nothing was written. */
  readonly isRefused: boolean;
}

/**
 * Raises a condition: writes its state, the notification item, the message and its deliveries, all in the caller's
 * transaction. Of two calls at once the second waits for the first one's commit and then finds the condition raised, so
 * that an outage is reported once, also when its notice was dismissed meanwhile, and however many causes it has: each lets
 * it last as long as that cause does. Undefined when there is no such device, or its owner is deleted. Wake the dispatcher after the commit. `quota`: how many pending deliveries a partner may
 * have that has no quota of its own.
 */
export async function raiseCondition(
  tx: Tx,
  event: BeginningEvent,
  quota: number = DEFAULT_QUOTAS.pending_deliveries,
): Promise<RaisedCondition | undefined> {
  const device = await findConditionDevice(tx, event.orgId, event.deviceId);
  if (device === undefined) return undefined;
  const { now, appliedAt = now, endsAt = null } = event;
  const raisedAt = await activateCondition(tx, event, { at: now, appliedAt }, endsAt);
  if (raisedAt === undefined) {
    const since = await extendCondition(tx, event, endsAt);
    return { changed: false, changedAt: since ?? now, ...NO_DELIVERIES, isRefused: since === undefined };
  }
  const { pending, dropped } = await tellNotice(tx, { ...event, device, now: raisedAt }, quota);
  await recordChange(tx, event);
  return { changed: true, changedAt: raisedAt, pending, dropped, isRefused: false };
}
