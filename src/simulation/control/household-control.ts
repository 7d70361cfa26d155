/** What was asked of a household's devices, and what became of them: plain data that can be copied to another thread. */
import type { HeatPumpPreferences, InverterPreferences, VehiclePreferences } from './preferences.ts';
import { valueInForce } from './revisions.ts';
import type { QuarterSpan, Revision } from './revisions.ts';

export interface DeviceControl<Preferences> {
  /** In order of time; before the first the defaults hold. */
  readonly preferences: readonly Revision<Preferences>[];
  /** In order of time and disjoint, without those that were taken back before they began. */
  readonly boosts: readonly QuarterSpan[];
  /** When nobody steers the device, so that it does what it does by itself; in order of time and disjoint. */
  readonly unsteered: readonly QuarterSpan[];
}

export interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

export interface HouseholdControl {
  readonly electricVehicle: DeviceControl<VehiclePreferences>;
  readonly heatPump: DeviceControl<HeatPumpPreferences>;
  readonly inverter: DeviceControl<InverterPreferences>;
  /** Where the household was moved to, in order of time; before the first it is where it was drawn. */
  readonly places: readonly Revision<Place>[];
}

/** The place in force in a quarter hour (since 1970), known by its identity; null where the household was drawn. */
export function placeAt({ places }: HouseholdControl, quarter: number): Place | null {
  return valueInForce<Place | null>(places, quarter, null);
}

const UNTOUCHED = { preferences: [], boosts: [], unsteered: [] } as const;

/** Nothing was ever asked. Known by its identity. */
export const UNCONTROLLED: HouseholdControl = {
  electricVehicle: UNTOUCHED,
  heatPump: UNTOUCHED,
  inverter: UNTOUCHED,
  places: [],
};
