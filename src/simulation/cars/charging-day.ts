/** What decides over a car's charge in each quarter hour of a UTC day, whatever the charge is. Energies are integers in mWh. */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { CHARGE_EFFICIENCY, fullStepOf } from '../devices/vehicle.ts';
import type { VehicleBatteryLimits, VehicleInterval, VehicleRows } from '../devices/vehicle.ts';
import { chargeOf } from './charge-plan.ts';
import type { ChargeRule } from './charge-plan.ts';

/** What counts in a quarter hour at the plug. */
export interface PluggedQuarter {
  /** Charged up to it, and at once up to `minimum`. */
  readonly target: number;
  readonly minimum: number;
  readonly rule: ChargeRule;
}

export interface ChargingDay {
  readonly intervals: readonly VehicleInterval[];
  /** Quarter hours before it are as without any preference. */
  readonly controlledFrom: number;
  /** By quarter hour; undefined away from the plug, and where there was no preference yet. */
  readonly plugged: readonly (PluggedQuarter | undefined)[];
}

/**
 * The energy stored after a quarter hour `i` of an interval that begins with `x`. It never falls where `x` rises, and where no
 * preference was set yet it is what `vehicleBatteryTransition` says.
 */
export function storedAfter(
  limits: VehicleBatteryLimits,
  { controlledFrom, plugged }: ChargingDay,
  interval: VehicleInterval,
  i: number,
  x: number,
): number {
  const step = fullStepOf(limits);
  if (i < controlledFrom) {
    const change = interval.pluggedIn ? step : -interval.driven;
    return Math.min(limits.target, Math.max(limits.min, x + change));
  }
  const here = plugged[i];
  if (here !== undefined) {
    const charged = chargeOf(here.rule, here.target - x);
    const atOnce = Math.min(step, Math.max(0, here.minimum - x));
    return x + Math.max(charged, atOnce);
  }
  // Driving never goes below the minimum; what is charged elsewhere fills the car up to its own target.
  if (interval.driven >= 0) return Math.max(x - interval.driven, Math.min(x, limits.min));
  return Math.max(x, Math.min(limits.target, x - interval.driven));
}

/** The energy stored after a day, or its first `quarters`, whose quarter hour `first` begins with `x`. */
export function storedAfterDay(
  limits: VehicleBatteryLimits,
  day: ChargingDay,
  first: number,
  x: number,
  quarters = QUARTER_HOURS_PER_DAY,
): number {
  let stored = x;
  for (const interval of day.intervals) {
    for (let i = Math.max(first, interval.from); i < Math.min(quarters, interval.to); i++) {
      stored = storedAfter(limits, day, interval, i, stored);
    }
  }
  return stored;
}

/** Writes a day whose quarter hour `first` begins with `x`; earlier quarter hours are idle. */
export function writeChargingDay(
  limits: VehicleBatteryLimits,
  day: ChargingDay,
  first: number,
  x: number,
  { ev, pluggedIn, vehicleStored }: VehicleRows,
): void {
  const step = fullStepOf(limits);
  let stored = x;
  ev.fill(0, 0, Math.min(first, QUARTER_HOURS_PER_DAY));
  pluggedIn.fill(0, 0, Math.min(first, QUARTER_HOURS_PER_DAY));
  vehicleStored.fill(x, 0, first + 1);
  for (const interval of day.intervals) {
    const plug = interval.pluggedIn ? 1 : 0;
    for (let i = Math.max(first, interval.from); i < interval.to; i++) {
      const next = storedAfter(limits, day, interval, i, stored);
      const charged = plug === 1 ? Math.max(0, next - stored) : 0;
      ev[i] = charged === step ? limits.chargeAc : Math.round(charged / CHARGE_EFFICIENCY);
      pluggedIn[i] = plug;
      stored = next;
      vehicleStored[i + 1] = stored;
    }
  }
}
