/** Driving and charging of an electric vehicle (docs/simulation.md#electric-vehicle). Energies are integers in mWh. */
import { NO_TRANSITION } from './battery.ts';
import type { StorageTransition } from './battery.ts';
import type { ElectricVehicle } from '../household/equipment.ts';
import { MILLI_WH_PER_W } from '../kernel/energy.ts';

/** Part of the AC energy that arrives in the battery (docs/simulation.md#electric-vehicle). */
export const CHARGE_EFFICIENCY = 0.9;
/** State of charge below which the vehicle charges elsewhere. */
export const MIN_SOC_PERCENT = 10;

/** Quarter hours `from` up to and without `to` of a UTC day in which a vehicle does the same. */
export interface VehicleInterval {
  readonly from: number;
  readonly to: number;
  readonly pluggedIn: boolean;
  /** Energy out of the battery in each quarter hour, mWh; below 0 it is charged elsewhere. */
  readonly driven: number;
}

/** The limits of a vehicle's battery: stored energies in integer mWh. */
export interface VehicleBatteryLimits {
  readonly capacity: number;
  /** What driving never goes below. */
  readonly min: number;
  /** What charging never goes above. */
  readonly target: number;
  readonly initial: number;
  /** AC energy of a quarter hour at full power, mWh. */
  readonly chargeAc: number;
}

/** The limits of a vehicle's battery in integers. */
export function vehicleBatteryLimitsOf(vehicle: ElectricVehicle): VehicleBatteryLimits {
  const capacity = Math.round(vehicle.battery_kwh * 1e6);
  return {
    capacity,
    min: Math.round((capacity * MIN_SOC_PERCENT) / 100),
    target: Math.round((capacity * vehicle.target_soc_percent) / 100),
    initial: Math.round((capacity * vehicle.initial_soc_percent) / 100),
    chargeAc: Math.round(vehicle.charger_power_w * MILLI_WH_PER_W),
  };
}

/** What full power charges in a quarter hour, in the battery, mWh. */
export const fullStepOf = ({ chargeAc }: VehicleBatteryLimits): number =>
  Math.round(chargeAc * CHARGE_EFFICIENCY);

/**
 * Energy that a quarter hour of an interval would add to the battery if its charge set no limit, mWh: driving takes it down to
 * the minimum, a plug at home or elsewhere gives its full power up to the target, at once.
 */
function requestedEnergy(limits: VehicleBatteryLimits, { pluggedIn, driven }: VehicleInterval): number {
  return pluggedIn ? fullStepOf(limits) : -driven;
}

/** Transition of a UTC day's quarter hours from `first` (zero-based) on, given its intervals. */
export function vehicleBatteryTransition(
  limits: VehicleBatteryLimits,
  intervals: readonly VehicleInterval[],
  first: number,
): StorageTransition {
  let { change, min, max } = NO_TRANSITION;
  const clamp = (x: number): number => Math.min(limits.target, Math.max(limits.min, x));
  for (const interval of intervals) {
    const quarters = interval.to - Math.max(first, interval.from);
    if (quarters <= 0) continue;
    const step = requestedEnergy(limits, interval);
    change += quarters * step;
    // Once within the limits, equal steps are one.
    min = clamp(clamp(min + step) + (quarters - 1) * step);
    max = clamp(clamp(max + step) + (quarters - 1) * step);
  }
  return { change, min, max };
}

/** What a vehicle did on a day: AC energies of the 96 quarter hours, its plug, and the energy stored before each and after the last. mWh. */
export interface VehicleRows {
  readonly ev: Int32Array;
  /** 1 while plugged in. */
  readonly pluggedIn: Uint8Array;
  readonly vehicleStored: Int32Array;
}

/**
 * Simulates a UTC day from quarter hour `first` (zero-based) on, before which `start` mWh are stored, and writes it into the
 * rows; earlier quarter hours are idle.
 */
export function simulateVehicleDay(
  limits: VehicleBatteryLimits,
  intervals: readonly VehicleInterval[],
  first: number,
  start: number,
  { ev, pluggedIn, vehicleStored }: VehicleRows,
): void {
  let x = start;
  ev.fill(0, 0, first);
  pluggedIn.fill(0, 0, first);
  vehicleStored.fill(x, 0, first + 1);
  for (const interval of intervals) {
    const step = requestedEnergy(limits, interval);
    const plug = interval.pluggedIn ? 1 : 0;
    for (let i = Math.max(first, interval.from); i < interval.to; i++) {
      const next = Math.min(limits.target, Math.max(limits.min, x + step));
      const delta = next - x;
      if (plug === 0 || delta <= 0) ev[i] = 0;
      else ev[i] = delta === step ? limits.chargeAc : Math.round(delta / CHARGE_EFFICIENCY);
      pluggedIn[i] = plug;
      x = next;
      vehicleStored[i + 1] = x;
    }
  }
}
