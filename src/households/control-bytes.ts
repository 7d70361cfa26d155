import type { HouseholdControl } from '../simulation/control/household-control.ts';
import type { HouseholdInterruptions } from './asked-control.ts';

/** Bytes of memory, at most, as a test measures them: of what holds from a quarter hour on, a boost or a time without steering. */
const BYTES_OF_REVISION = 96;
/** Of the preferences themselves, which revisions share. */
const BYTES_OF_PREFERENCES = 512;
/** Of a place and the quarter hour from which it holds. */
const BYTES_OF_PLACE = 192;
/** Of the interruptions of a device beside their numbers. */
const BYTES_OF_PACKED = 384;

/** What the control of a household and its interruptions take of a process's memory, in bytes. */
export function bytesOfControl({
  control,
  interruptions,
}: {
  readonly control: HouseholdControl;
  readonly interruptions: HouseholdInterruptions;
}): number {
  const devices = [control.electricVehicle, control.heatPump, control.inverter];
  const preferences = new Set(devices.flatMap((device) => device.preferences.map(({ value }) => value)));
  const lists = devices.flatMap((device) => [device.preferences, device.boosts, device.unsteered]);
  const revisions = lists.reduce((sum, { length }) => sum + length, 0);
  const packed = Object.values(interruptions).reduce(
    (sum, { byteLength }) => sum + BYTES_OF_PACKED + byteLength,
    0,
  );
  const places = control.places.length * BYTES_OF_PLACE;
  return revisions * BYTES_OF_REVISION + preferences.size * BYTES_OF_PREFERENCES + places + packed;
}
