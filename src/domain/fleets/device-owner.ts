import type { DeviceType } from './devices.ts';

/** Whose a device is. */
export interface DeviceOwner {
  readonly orgId: string;
  readonly userId: string;
  readonly deviceType: DeviceType;
}
