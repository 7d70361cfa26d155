/** Driving and charging of an electric vehicle (docs/simulation.md#electric-vehicle). Energies are integers in mWh. */
import { NO_TRANSITION } from './battery.ts';
import type { StorageTransition } from './battery.ts';
import type { ElectricVehicle } from '../household/equipment.ts';
import type { DaySegment } from '../time/local-day.ts';
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';

/** AC to battery (docs/simulation.md#electric-vehicle). */
export const CHARGE_EFFICIENCY = 0.9;
/** Below this the vehicle charges elsewhere. */
export const MIN_SOC_PERCENT = 10;

/** What happens on a local day; quarters of the day 0..95. */
export interface VehicleDayPlan {
  readonly departQuarter: number;
  readonly arriveQuarter: number;
  /** Energy out of the battery, 0 when it stays at home. */
  readonly tripMilliWh: number;
  /** Plugged in from arrival until the departure of the next day. */
  readonly session: boolean;
}

/** Quarters `from` up to and without `to` of a UTC day in which a vehicle does the same. */
export interface VehicleInterval {
  readonly from: number;
  readonly to: number;
  readonly pluggedIn: boolean;
  /** Energy out of the battery in each quarter. */
  readonly driven: number;
}

/**
 * Adds the spans of a day segment (src/simulation/time/local-day.ts) to those of a UTC day, without gaps. Half of a trip's energy is driven
 * after departure, half before arrival.
 */
export function appendVehicleIntervals(
  spans: VehicleInterval[],
  segment: DaySegment,
  yesterday: VehicleDayPlan,
  today: VehicleDayPlan,
): void {
  const ahead = segment.from - segment.localQuarter;
  const add = (first: number, end: number, pluggedIn: boolean, driven: number): void => {
    const from = Math.max(segment.from, first + ahead);
    const to = Math.min(segment.to, end + ahead);
    if (from < to) spans.push({ from, to, pluggedIn, driven });
  };
  const { departQuarter: departs, arriveQuarter: arrives, tripMilliWh: trip } = today;
  const half = Math.floor(trip / 2);
  add(0, departs, yesterday.session, 0);
  add(departs, departs + 1, false, half);
  add(departs + 1, arrives - 1, false, 0);
  add(arrives - 1, arrives, false, trip - half);
  add(arrives, QUARTER_HOURS_PER_DAY, today.session, 0);
}

/** The battery in integers. */
export interface VehicleBatteryLimits {
  readonly capacity: number;
  readonly floor: number;
  readonly target: number;
  readonly initial: number;
  /** AC energy of a quarter at full power. */
  readonly chargeAc: number;
}

export function vehicleBatteryLimitsOf(vehicle: ElectricVehicle): VehicleBatteryLimits {
  const capacity = Math.round(vehicle.battery_kwh * 1e6);
  return {
    capacity,
    floor: Math.round((capacity * MIN_SOC_PERCENT) / 100),
    target: Math.round((capacity * vehicle.target_soc_percent) / 100),
    initial: Math.round((capacity * vehicle.initial_soc_percent) / 100),
    chargeAc: Math.round(vehicle.charger_power_w * 250),
  };
}

/** Driving takes energy down to the floor, a plug gives full power up to the target, at once. */
function requestedEnergy(store: VehicleBatteryLimits, { pluggedIn, driven }: VehicleInterval): number {
  return pluggedIn ? Math.round(store.chargeAc * CHARGE_EFFICIENCY) : -driven;
}

/** Map of the quarters of a day from `first` on. */
export function vehicleBatteryTransition(
  store: VehicleBatteryLimits,
  spans: readonly VehicleInterval[],
  first: number,
): StorageTransition {
  let { change, min, max } = NO_TRANSITION;
  const limit = (x: number): number => Math.min(store.target, Math.max(store.floor, x));
  for (const span of spans) {
    const quarters = span.to - Math.max(first, span.from);
    if (quarters <= 0) continue;
    const step = requestedEnergy(store, span);
    change += quarters * step;
    // Once within the limits, equal steps are one.
    min = limit(limit(min + step) + (quarters - 1) * step);
    max = limit(limit(max + step) + (quarters - 1) * step);
  }
  return { change, min, max };
}

/** What a vehicle did: AC energies of the quarters, its plug, and its charge before each and after the last. */
export interface VehicleRows {
  readonly ev: Int32Array;
  /** 1 while plugged in. */
  readonly pluggedIn: Uint8Array;
  readonly vehicleStored: Int32Array;
}

/** Steps from the charge x before quarter `first` through a day and writes it down. */
export function simulateVehicleDay(
  store: VehicleBatteryLimits,
  spans: readonly VehicleInterval[],
  first: number,
  start: number,
  { ev, pluggedIn, vehicleStored }: VehicleRows,
): void {
  let x = start;
  ev.fill(0, 0, first);
  pluggedIn.fill(0, 0, first);
  vehicleStored.fill(x, 0, first + 1);
  for (const span of spans) {
    const step = requestedEnergy(store, span);
    const plug = span.pluggedIn ? 1 : 0;
    for (let i = Math.max(first, span.from); i < span.to; i++) {
      const next = Math.min(store.target, Math.max(store.floor, x + step));
      const delta = next - x;
      if (plug === 0 || delta <= 0) ev[i] = 0;
      else ev[i] = delta === step ? store.chargeAc : Math.round(delta / CHARGE_EFFICIENCY);
      pluggedIn[i] = plug;
      x = next;
      vehicleStored[i + 1] = x;
    }
  }
}
