import type { Tx } from '../queries/connection/database.ts';
import { clearOpenItems } from '../queries/notifications/condition-items.ts';
import { deactivateCondition, lockCondition } from '../queries/notifications/device-conditions.ts';
import { recordChange } from './condition-event.ts';
import type { ConditionChange, ConditionEvent } from './condition-event.ts';

/**
 * Ends a condition and clears its notification item, also a dismissed one, in the caller's transaction. No message is
 * sent. When the device is not in that condition, nothing is written.
 */
export async function endCondition(tx: Tx, event: ConditionEvent): Promise<ConditionChange> {
  const condition = await lockCondition(tx, event);
  if (condition?.active !== true) return { changed: false, changedAt: condition?.changed_at ?? event.now };
  const now = event.now > condition.changed_at ? event.now : condition.changed_at;
  await deactivateCondition(tx, event, { at: now, appliedAt: event.appliedAt ?? now });
  await clearOpenItems(tx, event, now, condition.changed_at);
  await recordChange(tx, event);
  return { changed: true, changedAt: now };
}
