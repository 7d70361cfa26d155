// What was asked of a household's devices, as the simulation takes it.
import type { DeviceType } from '../domain/fleets/devices.ts';
import { listUnsteeredQuarters } from '../domain/notifications/interruptions.ts';
import type { Interruption } from '../domain/notifications/interruptions.ts';
import { unpackInterruptions } from '../domain/notifications/packed-interruptions.ts';
import type { PackedInterruptions } from '../domain/notifications/packed-interruptions.ts';
import type { EffectivePlace, EffectiveRevision } from '../queries/fleets/household-controls.ts';
import type { DeviceControl, HouseholdControl, Place } from '../simulation/control/household-control.ts';
import { readStoredPreferences } from '../simulation/control/preference-changes.ts';
import type { DevicePreferences, SteeredType } from '../simulation/control/preference-changes.ts';
import type { QuarterSpan, Revision } from '../simulation/control/revisions.ts';

/** The times in which conditions of a household's devices held, by type of device, in the order in which they began. */
export type HouseholdInterruptions = { readonly [Type in DeviceType]?: PackedInterruptions };

/** What was asked of a household; revisions by device and time, places by time. `home`: where it was drawn. */
export function toHouseholdControl(
  revisions: readonly EffectiveRevision[],
  places: readonly EffectivePlace[],
  home: Place,
  interruptions: HouseholdInterruptions = {},
): HouseholdControl {
  return {
    electricVehicle: toDeviceControl('electric_vehicle', revisions, interruptions),
    heatPump: toDeviceControl('heat_pump', revisions, interruptions),
    inverter: toDeviceControl('inverter', revisions, interruptions),
    places: places.map(({ from, latitude, longitude }) => ({
      from,
      value: latitude === null || longitude === null ? home : { latitude, longitude },
    })),
  };
}

/** The interruptions that keep a device from being steered: a car is steered by way of its wallbox too. */
export function listSteeringInterruptions(
  type: DeviceType,
  interruptions: HouseholdInterruptions,
): Interruption[] {
  const own = unpackInterruptions(interruptions[type]);
  return type === 'electric_vehicle' ? [...own, ...unpackInterruptions(interruptions.wallbox)] : own;
}

function toDeviceControl<Type extends SteeredType>(
  type: Type,
  revisions: readonly EffectiveRevision[],
  interruptions: HouseholdInterruptions,
): DeviceControl<DevicePreferences[Type]> {
  const own = revisions.filter(({ device_type }) => device_type === type);
  const unsteered = listUnsteeredQuarters(listSteeringInterruptions(type, interruptions));
  return { preferences: preferencesOf(type, own), boosts: boostsOf(own), unsteered };
}

/** Without those that repeat what held before: a boost changes none. The same preferences are one object. */
function preferencesOf<Type extends SteeredType>(
  type: Type,
  revisions: readonly EffectiveRevision[],
): Revision<DevicePreferences[Type]>[] {
  const preferences: Revision<DevicePreferences[Type]>[] = [];
  const known = new Map<string, DevicePreferences[Type]>();
  let before = '';
  for (const { from, preferences: stored } of revisions) {
    if (stored === before) continue;
    before = stored;
    const value = known.get(stored) ?? readStoredPreferences(type, JSON.parse(stored));
    known.set(stored, value);
    preferences.push({ from, value });
  }
  return preferences;
}

/** A boost holds until its end, or until a revision without it; one that goes on is one. */
function boostsOf(revisions: readonly EffectiveRevision[]): QuarterSpan[] {
  const boosts: { first: number; end: number }[] = [];
  for (const [i, { from: first, boost_end }] of revisions.entries()) {
    if (boost_end === null) continue;
    const end = Math.min(boost_end, revisions[i + 1]?.from ?? Infinity);
    const last = boosts.at(-1);
    if (last?.end === first) last.end = Math.max(end, first);
    else if (first < end) boosts.push({ first, end });
  }
  return boosts;
}
