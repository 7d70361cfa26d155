import type { FieldError } from '../../domain/api/problem.ts';
import {
  DEFAULT_HEAT_PUMP_PREFERENCES,
  DEFAULT_INVERTER_PREFERENCES,
  DEFAULT_VEHICLE_PREFERENCES,
} from './preferences.ts';
import type { HeatPumpPreferences, InverterPreferences, VehiclePreferences } from './preferences.ts';

/** The preferences of each type of device that has some. */
export interface DevicePreferences {
  electric_vehicle: VehiclePreferences;
  heat_pump: HeatPumpPreferences;
  inverter: InverterPreferences;
}
export type SteeredType = keyof DevicePreferences;

/** What is sent to change preferences: what is left out stays, null is the default. Of a week the days that are named. */
export type PreferenceChanges<Preferences> = {
  readonly [Name in keyof Preferences]?:
    (Preferences[Name] extends object ? Partial<Preferences[Name]> : Preferences[Name]) | null | undefined;
};

export const DEFAULT_PREFERENCES: DevicePreferences = {
  electric_vehicle: DEFAULT_VEHICLE_PREFERENCES,
  heat_pump: DEFAULT_HEAT_PUMP_PREFERENCES,
  inverter: DEFAULT_INVERTER_PREFERENCES,
};

/** Stored preferences; what came to the preferences since then has its default. */
export function readStoredPreferences<Type extends SteeredType>(
  type: Type,
  stored: unknown,
): DevicePreferences[Type] {
  return { ...DEFAULT_PREFERENCES[type], ...(stored as Partial<DevicePreferences[Type]>) };
}

/** The preferences after a change. */
export function mergePreferences<Type extends SteeredType>(
  type: Type,
  before: DevicePreferences[Type],
  changes: PreferenceChanges<DevicePreferences[Type]>,
): DevicePreferences[Type] {
  const defaults: DevicePreferences[Type] = DEFAULT_PREFERENCES[type];
  const merged: Record<string, unknown> = { ...before };
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) continue;
    const name = key as keyof DevicePreferences[Type] & string;
    if (value === null) merged[name] = defaults[name];
    else merged[name] = typeof value === 'object' ? { ...(before[name] as object), ...value } : value;
  }
  return merged as unknown as DevicePreferences[Type];
}

/**
 * What is wrong with a vehicle's preferences as a change of them would leave them: `minimum_above_target`. `ownTarget`: the
 * target that holds where none is asked for.
 */
export function validateVehiclePreferences(
  { target_soc_percent, minimum_soc_percent: minimum }: VehiclePreferences,
  changes: PreferenceChanges<VehiclePreferences>,
  ownTarget: number,
): FieldError[] {
  const target = target_soc_percent ?? ownTarget;
  if (minimum <= target) return [];
  const isMinimumSent = changes.minimum_soc_percent !== undefined;
  const detail = isMinimumSent
    ? `Must be at most the target, which is ${target}.`
    : `The target must be at least minimum_soc_percent, which is ${minimum}; it would be ${target}.`;
  const pointer = isMinimumSent ? '/minimum_soc_percent' : '/target_soc_percent';
  return [{ pointer, code: 'minimum_above_target', detail }];
}
