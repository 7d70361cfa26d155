import type { components } from '../../generated/openapi.ts';
import type { DeviceType } from '../domain/fleets/devices.ts';
import { toSummedMetadata } from './summed-data.ts';

type Metadata = components['schemas']['DeviceDataMetadata'];

/** The metadata of a device's data as the API shows them; `timeZone` is null for a device that is not simulated. */
export function toDeviceDataMetadata(
  device: { readonly user_id: string; readonly id: string; readonly device_type: DeviceType },
  resolution: string,
  span: { readonly first: number; readonly end: number } | undefined,
  timeZone: string | null,
): Metadata {
  return {
    user_id: device.user_id,
    device_id: device.id,
    device_type: device.device_type,
    ...toSummedMetadata(resolution, span),
    time_zone: timeZone,
  };
}
