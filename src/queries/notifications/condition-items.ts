import type { ItemKind, NoticeCode } from '../../domain/notifications/conditions.ts';
import type { DeviceType } from '../../domain/notifications/envelope.ts';
import type { Tx } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';
import type { ConditionKey } from './device-conditions.ts';

/** A notification item about a device. */
export interface NewConditionItem {
  readonly org_id: string;
  readonly id: string;
  readonly kind: ItemKind;
  readonly code: NoticeCode;
  readonly device_id: string;
  readonly device_type: DeviceType;
  readonly owner_id: string;
  readonly message: string;
  readonly occurred_at: Date;
}

/** Inserts an open item; the index `notification_items_open_key` permits one for each device and code. */
export async function insertConditionItem(tx: Tx, item: NewConditionItem): Promise<void> {
  await insertItem(tx, item);
}

// Each value by its name: what an item has besides is not written.
const insertItem = prepare((db, item: NewConditionItem) =>
  db.insertInto('notification_items').values({
    org_id: item.org_id,
    id: item.id,
    kind: item.kind,
    code: item.code,
    device_id: item.device_id,
    device_type: item.device_type,
    owner_id: item.owner_id,
    message: item.message,
    occurred_at: item.occurred_at,
  }),
);

/**
 * Marks the open items of a device and a code as cleared, dismissed ones too. Items from before `since` stay as they are:
 * dismissed in an earlier period of the condition, they did not end by themselves.
 */
export async function clearOpenItems(
  tx: Tx,
  { orgId, deviceId, code }: Pick<ConditionKey, 'orgId' | 'deviceId'> & { readonly code: NoticeCode },
  now: Date,
  since?: Date,
): Promise<void> {
  const open = tx
    .updateTable('notification_items')
    .set({ cleared_at: now })
    .where('org_id', '=', orgId)
    .where('device_id', '=', deviceId)
    .where('code', '=', code)
    .where('cleared_at', 'is', null);
  await (since === undefined ? open : open.where('occurred_at', '>=', since)).execute();
}

/** Marks an item as dismissed; undefined when it is not there or was dismissed before. */
export function updateItemDismissed(
  tx: Tx,
  item: { readonly org_id: string; readonly id: string },
  now: Date,
): Promise<{ readonly cleared_at: Date | null } | undefined> {
  return tx
    .updateTable('notification_items')
    .set({ dismissed_at: now })
    .where('org_id', '=', item.org_id)
    .where('id', '=', item.id)
    .where('dismissed_at', 'is', null)
    .returning('cleared_at')
    .executeTakeFirst();
}
