import type { DeviceType } from '../domain/fleets/devices.ts';
import { DEVICE_OPERATIONS } from './device-operations.ts';
import { HOMES_PATH } from './paths.ts';
import { scopedPath } from './scopes.ts';
import type { Scope } from './scopes.ts';

/** The path of a home's page, or of one below it. */
export function homePath(scope: Scope, userId: string, page = ''): string {
  return scopedPath(scope, `${HOMES_PATH}${userId}/${page}`);
}

/** By what a device is named in a path. */
interface NamedDevice {
  readonly userId: string;
  readonly deviceId: string;
  readonly deviceType: DeviceType;
}

/** The path of a device's page, or of one below it. */
export function devicePath(scope: Scope, { userId, deviceId, deviceType }: NamedDevice, page = ''): string {
  return homePath(scope, userId, `${DEVICE_OPERATIONS[deviceType].segment}/${deviceId}/${page}`);
}
