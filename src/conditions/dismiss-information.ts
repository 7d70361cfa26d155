import { endsOnDismissal, isConditionCode } from '../domain/notifications/conditions.ts';
import type { Tx } from '../queries/connection/database.ts';
import { updateItemDismissed } from '../queries/notifications/condition-items.ts';
import { recordChange } from './condition-event.ts';
import { deactivateCondition, lockCondition } from '../queries/notifications/device-conditions.ts';

/** A notice to dismiss. */
export interface DismissedItem {
  readonly org_id: string;
  readonly id: string;
  readonly device_id: string | null;
  readonly code: string | null;
}

/**
 * Dismisses an information item in the caller's transaction; a second dismissal changes nothing. A condition that ends
 * with its dismissal (`endsOnDismissal`) ends too, so that it can be raised again. The condition is locked before the
 * item, as `endCondition` does.
 */
export async function dismissInformation(tx: Tx, item: DismissedItem, now: Date): Promise<void> {
  const { code } = item;
  const key =
    item.device_id !== null && code !== null && isConditionCode(code) && endsOnDismissal(code)
      ? { orgId: item.org_id, deviceId: item.device_id, code }
      : undefined;
  const condition = key === undefined ? undefined : await lockCondition(tx, key);
  const dismissed = await updateItemDismissed(tx, item, now);
  // A cleared item belongs to an earlier period of the condition than the present one.
  if (key === undefined || condition?.active !== true || dismissed?.cleared_at !== null) return;
  await deactivateCondition(tx, key, { at: now, appliedAt: now });
  await recordChange(tx, key);
}
