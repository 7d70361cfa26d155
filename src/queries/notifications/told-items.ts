import { sql } from 'kysely';
import type { ToldItem } from '../../domain/notifications/told-item.ts';
import { isActiveUser } from '../accounts/active-users.ts';
import type { Db } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

const columns = sql`i.id, i.kind, i.code, i.device_id as "deviceId", i.device_type as "deviceType", i.owner_id as "ownerId",
  i.message, i.occurred_at as "occurredAt", i.cleared_at as "clearedAt"`;

interface ItemKey {
  readonly orgId: string;
  readonly id: string;
  readonly readerId: string;
}

/** An item of an organization, with the reader's own dismissal of a broadcast; those of deleted users are not found. */
export async function findToldItem(db: Db, key: ItemKey): Promise<ToldItem | undefined> {
  const [item] = await selectItem(db, key);
  return item;
}

const selectItem = prepare(
  (_db, { orgId, id, readerId }: ItemKey) => sql<ToldItem>`
    select ${columns}, coalesce(i.dismissed_at, (
      select b.dismissed_at from broadcast_dismissals b
      where i.owner_id is null and b.org_id = ${orgId} and b.item_id = i.id and b.user_id = ${readerId})) as "dismissedAt"
    from notification_items i
    where i.org_id = ${orgId} and i.id = ${id} and (i.owner_id is null or ${isActiveUser(orgId, 'i.owner_id')})
  `,
);

interface DeviceKey {
  readonly orgId: string;
  readonly deviceId: string;
  readonly limit: number;
}

/** The latest items about a device, whatever became of them. */
export function listItemsOfDevice(db: Db, key: DeviceKey): Promise<ToldItem[]> {
  return selectOfDevice(db, key);
}

const selectOfDevice = prepare(
  (_db, { orgId, deviceId, limit }: DeviceKey) => sql<ToldItem>`
    select ${columns}, i.dismissed_at as "dismissedAt" from notification_items i
    where i.org_id = ${orgId} and i.device_id = ${deviceId}
    order by i.occurred_at desc, i.id desc
    limit ${limit}
  `,
);
