import { randomUUID } from 'node:crypto';
import { v7 as timeOrderedUuid } from 'uuid';
import { itemKindOf, noticeMessage, type NoticeCode } from '../domain/notifications/conditions.ts';
import { encodeEnvelope } from '../domain/notifications/envelope.ts';
import { notificationText } from '../domain/notifications/notification-texts.ts';
import type { Tx } from '../queries/connection/database.ts';
import { insertMessageWithDeliveries } from '../queries/deliveries/deliveries.ts';
import type { InsertedDeliveries } from '../queries/deliveries/deliveries.ts';
import type { ConditionDevice } from '../queries/notifications/condition-devices.ts';
import { insertConditionItem } from '../queries/notifications/condition-items.ts';

/** A notice about a device, of the instant `now`. */
export interface Notice {
  readonly orgId: string;
  readonly deviceId: string;
  readonly device: ConditionDevice;
  readonly code: NoticeCode;
  readonly now: Date;
  /** The call that raises it; none where the simulation does. */
  readonly requestId?: string;
}

/**
 * Writes a notification item, its message and the message's deliveries in the caller's transaction. No other item of the device
 * and the code may be open. Resolves to the id of the item and the numbers of its deliveries; of these some are cancelled at once
 * where the partner has as many pending ones as it may have (`quota`, where it has none of its own). Wake the dispatcher after the commit.
 */
export async function tellNotice(
  tx: Tx,
  { orgId, deviceId, device, code, now, requestId }: Notice,
  quota: number,
): Promise<InsertedDeliveries & { readonly itemId: string }> {
  const itemId = randomUUID();
  await insertConditionItem(tx, {
    org_id: orgId,
    id: itemId,
    kind: itemKindOf(code),
    code,
    device_id: deviceId,
    device_type: device.deviceType,
    owner_id: device.ownerId,
    message: notificationText(code, device),
    occurred_at: now,
  });
  // Ids ordered by time put messages of one time side by side in their tables: a claim from a long backlog reads few pages.
  const id = timeOrderedUuid({ msecs: now.getTime() });
  const content = noticeMessage(code, { deviceId, ...device });
  const message = {
    org_id: orgId,
    id,
    message_type: content.type,
    occurred_at: now,
    payload: encodeEnvelope(id, content, now),
    request_id: requestId,
  };
  return { itemId, ...(await insertMessageWithDeliveries(tx, message, now, quota)) };
}
