/** Driving and charging of an electric vehicle (simulation.md B5). Energies are integers in mWh. */
import { IDENTITY } from './battery.ts';
import type { Clamp } from './battery.ts';
import type { ElectricVehicle } from './equipment.ts';

/** Bound once: under a test runner's context each use of a global is a slow lookup. */
const { floor, max, min, round } = Math;

/** AC to battery (B5). */
export const CHARGE_EFFICIENCY = 0.9;
/** Below this the vehicle charges elsewhere. */
export const FLOOR_PERCENT = 10;

/** What happens on a local day; quarters of the day 0..95. */
export interface VehicleDay {
  readonly departQuarter: number;
  readonly arriveQuarter: number;
  /** Energy out of the battery, 0 when it stays at home. */
  readonly tripMilliWh: number;
  /** Plugged in from arrival until the departure of the next day. */
  readonly session: boolean;
}

export function isPluggedIn(yesterday: VehicleDay, today: VehicleDay, localQuarter: number): boolean {
  if (localQuarter < today.departQuarter) return yesterday.session;
  return localQuarter >= today.arriveQuarter && today.session;
}

/** Energy driven in a quarter: half after departure, half before arrival. */
export function drivenIn(today: VehicleDay, localQuarter: number): number {
  const half = floor(today.tripMilliWh / 2);
  if (localQuarter === today.departQuarter) return half;
  return localQuarter === today.arriveQuarter - 1 ? today.tripMilliWh - half : 0;
}

/** The battery in integers. */
export interface VehicleStore {
  readonly capacity: number;
  readonly floor: number;
  readonly target: number;
  readonly initial: number;
  /** AC energy of a quarter at full power. */
  readonly chargeAc: number;
}

export function vehicleStoreOf(vehicle: ElectricVehicle): VehicleStore {
  const capacity = round(vehicle.battery_kwh * 1e6);
  return {
    capacity,
    floor: round((capacity * FLOOR_PERCENT) / 100),
    target: round((capacity * vehicle.target_soc_percent) / 100),
    initial: round((capacity * vehicle.initial_soc_percent) / 100),
    chargeAc: round(vehicle.charger_power_w * 250),
  };
}

/** A day of a vehicle by quarters. */
export interface Driving {
  readonly driven: Int32Array;
  /** 1 while plugged in. */
  readonly pluggedIn: Uint8Array;
}

/** Driving takes energy down to the floor, a plug gives full power up to the target, at once. */
function wish(store: VehicleStore, { driven, pluggedIn }: Driving, i: number): number {
  return pluggedIn[i] === 1 ? round(store.chargeAc * CHARGE_EFFICIENCY) : -(driven[i] ?? 0);
}

/** Map of the quarters of a day from `first` on. */
export function vehicleMap(store: VehicleStore, driving: Driving, first: number): Clamp {
  let { d, lo, hi } = IDENTITY;
  for (let i = first; i < driving.driven.length; i++) {
    const step = wish(store, driving, i);
    d += step;
    lo = min(store.target, max(store.floor, lo + step));
    hi = min(store.target, max(store.floor, hi + step));
  }
  return { d, lo, hi };
}

/** Steps from the charge x before quarter `first` through a day; writes AC energies and charges (one more). */
export function runVehicle(
  store: VehicleStore,
  driving: Driving,
  first: number,
  start: number,
  rows: { readonly ev: Int32Array; readonly vehicleStored: Int32Array },
): void {
  let x = start;
  rows.vehicleStored.fill(x, 0, first + 1);
  for (let i = first; i < driving.driven.length; i++) {
    const step = wish(store, driving, i);
    const next = min(store.target, max(store.floor, x + step));
    if (next > x && driving.pluggedIn[i] === 1) {
      rows.ev[i] = next - x === step ? store.chargeAc : round((next - x) / CHARGE_EFFICIENCY);
    }
    x = next;
    rows.vehicleStored[i + 1] = x;
  }
}
