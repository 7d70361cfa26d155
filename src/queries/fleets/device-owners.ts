import type { DeviceOwner } from '../../domain/fleets/device-owner.ts';
import type { Db } from '../connection/database.ts';

/** The owner of a device that one of these organizations has; undefined when none has it. One look-up by key for each of them. */
export function findDeviceOwner(
  db: Db,
  orgIds: readonly string[],
  deviceId: string,
): Promise<DeviceOwner | undefined> {
  return db
    .selectFrom('devices')
    .select(['org_id as orgId', 'user_id as userId', 'device_type as deviceType'])
    .where('org_id', 'in', orgIds)
    .where('id', '=', deviceId)
    .executeTakeFirst();
}
