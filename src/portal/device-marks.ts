import { DEVICE_TYPES } from '../domain/fleets/devices.ts';
import type { DeviceCounts, DeviceType } from '../domain/fleets/devices.ts';
import { formatCount } from './times.ts';

/** The icon of a type, and its name for one and for several. */
const MARKS: Readonly<
  Record<DeviceType, { readonly icon: string; readonly one: string; readonly many?: string }>
> = {
  electric_vehicle: { icon: 'vehicle', one: 'vehicle' },
  heat_pump: { icon: 'heat-pump', one: 'heat pump' },
  inverter: { icon: 'pv', one: 'inverter' },
  wallbox: { icon: 'wallbox', one: 'wallbox', many: 'wallboxes' },
};

/** Numbers of devices in words, each with the icon of its type. */
export function describeDevices(
  counts: DeviceCounts,
  types: readonly DeviceType[] = DEVICE_TYPES,
): readonly { readonly icon: string; readonly text: string }[] {
  return types.map((type) => {
    const { icon, one, many = `${one}s` } = MARKS[type];
    return { icon, text: `${formatCount(counts[type])} ${counts[type] === 1 ? one : many}` };
  });
}

/** The icon of a type. */
export function iconOf(type: DeviceType): string {
  return MARKS[type].icon;
}

/** What a device of a type is called: `Heat pump`. */
export function nameType(type: DeviceType): string {
  const { one } = MARKS[type];
  return `${one.charAt(0).toUpperCase()}${one.slice(1)}`;
}

/** Those of which there are some, in one text; empty when there are none. */
export function listDevices(counts: DeviceCounts): string {
  const types = DEVICE_TYPES.filter((type) => counts[type] > 0);
  return describeDevices(counts, types)
    .map(({ text }) => text)
    .join(', ');
}
