import type { components } from '../../generated/openapi.ts';
import type { DeviceRatings, DeviceType } from '../domain/fleets/devices.ts';

type Device = components['schemas']['Device'];

/** What a device's record says of it; the fleet's part is null where the device is not simulated. */
export interface DeviceRecord {
  readonly id: string;
  readonly device_type: DeviceType;
  readonly user_id: string;
  readonly org_id: string;
  readonly fleet_id: string | null;
  readonly household_index: number | null;
  readonly group_name: string | null;
  readonly profile: string | null;
  readonly name: string;
  readonly manufacturer: string;
  readonly model: string;
  readonly ratings: DeviceRatings;
  readonly is_offline: boolean;
}

/** A device as the API shows it, with its state at an instant. */
export function toDevice(record: DeviceRecord, state: Device['state'], at: Date): Device {
  return {
    device_id: record.id,
    device_type: record.device_type,
    user_id: record.user_id,
    org_id: record.org_id,
    job_id: record.fleet_id,
    household_index: record.household_index,
    group: record.group_name,
    profile: record.profile,
    name: record.name,
    manufacturer: record.manufacturer,
    model: record.model,
    ...record.ratings,
    online: !record.is_offline,
    state,
    as_of: at.toISOString(),
  };
}
