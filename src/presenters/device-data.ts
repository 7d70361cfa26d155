import type { components } from '../../generated/openapi.ts';
import type { DeviceType } from '../domain/fleets/devices.ts';
import { toSummedMetadata } from './summed-data.ts';

type Metadata = components['schemas']['DeviceDataMetadata'];

/** The metadata of a device's data as the API shows them; `timeZone` is null for a device that is not simulated. */
export function toDeviceDataMetadata<Type extends DeviceType>(
  device: { readonly user_id: string; readonly id: string },
  type: Type,
  resolution: string,
  span: { readonly first: number; readonly end: number } | undefined,
  timeZone: string | null,
): Metadata & { readonly device_type: Type } {
  return {
    user_id: device.user_id,
    device_id: device.id,
    device_type: type,
    ...toSummedMetadata(resolution, span),
    time_zone: timeZone,
  };
}
