/** Driving and charging of an electric vehicle (simulation.md B5). Energies are integers in mWh. */
import type { Clamp } from './battery.ts';
import { applyClamp } from './battery.ts';
import type { ElectricVehicle } from './equipment.ts';
import type { Household } from './household.ts';
import { dayTypeOf } from './load.ts';
import { CHANNEL, normal, splitSeed, uniform } from './noise.ts';

/** Bound once: under a test runner's context each use of a global is a slow lookup. */
const { exp, floor, max, min, round } = Math;

/** AC to battery (B5). */
const EFFICIENCY = 0.9;
/** Below this the vehicle charges elsewhere. */
const FLOOR_PERCENT = 10;
const DRIVE_WORKDAY = 0.85;
const DRIVE_WEEKEND = 0.65;
const MEAN_DRIVE = (5 * DRIVE_WORKDAY + 2 * DRIVE_WEEKEND) / 7;
/** Spread of a day's driving (lognormal). */
const SIGMA = 0.7;

/** What happens on a local day; quarters of the day 0..95. */
export interface VehicleDay {
  readonly departQuarter: number;
  readonly arriveQuarter: number;
  /** Energy out of the battery, 0 when it stays at home. */
  readonly tripMilliWh: number;
  /** Plugged in from arrival until the departure of the next day; drawn whatever the charge. */
  readonly session: boolean;
}

/** The day's plan from the hash alone: departure 7.5 h ± 1.2, arrival 17.5 h SD 2.2. */
export function vehicleDay(household: Household, vehicle: ElectricVehicle, localDay: number): VehicleDay {
  const seed = splitSeed(household.seed);
  const { index } = household;
  const drives =
    uniform(seed, index, CHANNEL.drive, localDay) <
    (dayTypeOf(localDay) === 'workday' ? DRIVE_WORKDAY : DRIVE_WEEKEND);
  const clock = (channel: number, hour: number, spread: number, from: number, to: number) => {
    const quarter = round(4 * (hour + spread * normal(seed, index, channel, localDay)));
    return min(to, max(from, quarter));
  };
  const size = exp(SIGMA * normal(seed, index, CHANNEL.trip, localDay) - (SIGMA * SIGMA) / 2);
  const meanTrip = (household.ev_annual_kwh * 1e6 * EFFICIENCY) / 365 / MEAN_DRIVE;
  return {
    departQuarter: clock(CHANNEL.depart, 7.5, 1.2, 20, 40),
    arriveQuarter: clock(CHANNEL.arrive, 17.5, 2.2, 44, 94),
    tripMilliWh: drives ? round(meanTrip * size) : 0,
    session: uniform(seed, index, CHANNEL.session, localDay) < vehicle.session_probability,
  };
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
    floor: (capacity * FLOOR_PERCENT) / 100,
    target: (capacity * vehicle.target_soc_percent) / 100,
    initial: (capacity * vehicle.initial_soc_percent) / 100,
    chargeAc: vehicle.charger_power_w * 250,
  };
}

/** Map of a quarter: driving down to the floor, or charging up to the target at once and at full power. */
export function vehicleMap(store: VehicleStore, driven: number, pluggedIn: boolean): Clamp {
  const d = pluggedIn ? round(store.chargeAc * EFFICIENCY) : -driven;
  return { d, lo: store.floor, hi: store.target };
}

/** One quarter from charge x: the new charge, and the AC energy drawn. */
export function vehicleStep(
  store: VehicleStore,
  driven: number,
  pluggedIn: boolean,
  x: number,
): { x: number; ac: number } {
  const map = vehicleMap(store, driven, pluggedIn);
  const next = applyClamp(map, x);
  if (!pluggedIn || next <= x) return { x: next, ac: 0 };
  return { x: next, ac: next - x === map.d ? store.chargeAc : round((next - x) / EFFICIENCY) };
}
