import type { components } from '../../generated/openapi.ts';
import type { DeviceRatings, DeviceType } from '../domain/fleets/devices.ts';

type Device = components['schemas']['Device'];
/** A device of one type, with the state that belongs to it. */
type DeviceOf<Type extends DeviceType> = Extract<Device, { readonly device_type: Type }>;

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

/** A device as the API shows it, with its state at an instant, which is one of the record's type. */
export function toDevice(record: DeviceRecord, state: Device['state'], at: Date): Device {
  const device = {
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
  // That type and state belong together is known by who has computed the state, not by the compiler.
  return device as Device;
}

/** Whether the device is of the type. */
export function isOfType<Type extends DeviceType>(device: Device, type: Type): device is DeviceOf<Type> {
  return device.device_type === type;
}
