import type { components } from '../../generated/openapi.ts';
import type { DeviceType } from '../domain/fleets/devices.ts';

type Metadata = components['schemas']['DeviceDataMetadata'];

/** What the data of a device cover; `from` and `to` are null where there are none. */
export interface DeviceDataCoverage {
  readonly from: Date | null;
  /** Exclusive. */
  readonly to: Date | null;
  /** IANA name; null for a device that is not simulated. */
  readonly timeZone: string | null;
}

/** The metadata of a device's data as the API shows them. */
export function toDeviceDataMetadata(
  device: { readonly user_id: string; readonly id: string; readonly device_type: DeviceType },
  resolution: string,
  { from, to, timeZone }: DeviceDataCoverage,
): Metadata {
  return {
    user_id: device.user_id,
    device_id: device.id,
    device_type: device.device_type,
    resolution,
    from: from?.toISOString() ?? null,
    to: to?.toISOString() ?? null,
    time_zone: timeZone,
  };
}
