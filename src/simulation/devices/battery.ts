/**
 * Batteries without stored state (docs/simulation.md#stationary-battery). A quarter hour of a battery whose power limits do
 * not depend on its charge takes the stored energy x to min(max, max(min, x + change)). Such transitions compose to one of
 * their kind, so a day is three numbers, and walking back until min = max gives the exact charge whatever came before
 * (coupling from the past: Propp and Wilson 1996). All energies are integers in mWh: in floating point composed and stepped
 * transitions differ.
 */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { roundNonNegative } from '../kernel/typed-arrays.ts';
import { MILLI_WH_PER_W } from '../kernel/energy.ts';

/** How the stored energy x of a span of time becomes that at its end: min(max, max(min, x + change)), mWh. */
export interface StorageTransition {
  readonly change: number;
  readonly min: number;
  readonly max: number;
}

/** The transition that leaves every stored energy as it is. */
export const NO_TRANSITION: StorageTransition = { change: 0, min: -Infinity, max: Infinity };

/** Stored energy after a transition from x, mWh. */
export function applyTransition({ change, min, max }: StorageTransition, x: number): number {
  return Math.min(max, Math.max(min, x + change));
}

/** The transition that does `first`, then `second`. */
export function composeTransitions(first: StorageTransition, second: StorageTransition): StorageTransition {
  const limit = (x: number) => Math.min(second.max, Math.max(second.min, x + second.change));
  return { change: first.change + second.change, min: limit(first.min), max: limit(first.max) };
}

/**
 * Stored energy at the start of `day` (days since 1970), mWh, found by walking back. `transitionOf` gives the transition of a
 * whole day, `knownEnergyAt` the energy at the start of the days at which it is known, the first of all among them. The walk
 * ends at such a day, or where the past no longer matters.
 */
export function storedEnergyAtDayStart(
  transitionOf: (day: number) => StorageTransition,
  day: number,
  knownEnergyAt: (day: number) => number | undefined,
): number {
  let total = NO_TRANSITION;
  for (let back = day; ; back--) {
    const known = knownEnergyAt(back);
    if (known !== undefined) return applyTransition(total, known);
    total = composeTransitions(transitionOf(back - 1), total);
    if (total.min === total.max) return total.min;
  }
}

/** The limits of a stationary battery: stored energies in mWh, powers as AC energy of a quarter hour in mWh. */
export interface BatteryLimits {
  readonly capacity: number;
  /** Reserve that is never discharged: 5 % (docs/simulation.md#stationary-battery). */
  readonly reserve: number;
  readonly initial: number;
  readonly chargeLimit: number;
  readonly dischargeLimit: number;
  /** Each way, 0..1. */
  readonly efficiency: number;
}

/** The limits of a stationary battery in integers; its initial charge is not below the reserve. */
export function batteryLimitsOf(battery: {
  readonly capacity_kwh: number;
  readonly initial_soc_percent: number;
  readonly max_charge_power_w: number;
  readonly max_discharge_power_w: number;
  readonly efficiency: number;
}): BatteryLimits {
  const capacity = Math.round(battery.capacity_kwh * 1e6);
  const reserve = Math.round(capacity * 0.05);
  return {
    capacity,
    reserve,
    initial: Math.max(
      reserve,
      Math.min(capacity, Math.round((capacity * battery.initial_soc_percent) / 100)),
    ),
    chargeLimit: battery.max_charge_power_w * MILLI_WH_PER_W,
    dischargeLimit: battery.max_discharge_power_w * MILLI_WH_PER_W,
    efficiency: battery.efficiency,
  };
}

/**
 * Energy that a quarter hour would add to the battery (negative: take from it) if its charge set no limit, mWh. It serves
 * self-consumption: `surplus` is what the household has left, AC, negative when it lacks energy.
 */
function requestedEnergy(limits: BatteryLimits, surplus: number): number {
  return surplus > 0
    ? roundNonNegative(Math.min(surplus, limits.chargeLimit) * limits.efficiency)
    : -roundNonNegative(Math.min(-surplus, limits.dischargeLimit) / limits.efficiency);
}

/** Transition of a day's quarter hours from `first` (zero-based) on, given the surplus of each, AC in mWh. */
export function batteryTransition(
  limits: BatteryLimits,
  surplus: Int32Array,
  first: number,
): StorageTransition {
  let change = 0;
  let min = -Infinity;
  let max = Infinity;
  for (let i = first; i < surplus.length; i++) {
    const step = requestedEnergy(limits, surplus[i] ?? 0);
    change += step;
    min = Math.min(limits.capacity, Math.max(limits.reserve, min + step));
    max = Math.min(limits.capacity, Math.max(limits.reserve, max + step));
  }
  return { change, min, max };
}

/** What a battery and the grid did on a day: AC energies of the 96 quarter hours; the energy stored before each and after the last. mWh. */
export interface BatteryRows {
  readonly charge: Int32Array;
  readonly discharge: Int32Array;
  readonly stored: Int32Array;
  /** Positive from the grid, negative into it. */
  readonly grid: Int32Array;
}

/**
 * Simulates a day from quarter hour `first` (zero-based) on, before which `start` mWh are stored, and writes it into `rows`;
 * earlier quarter hours are idle. `surplus` is that of each of the 96, AC in mWh; what the battery leaves of it goes to the grid.
 */
export function simulateBatteryDay(
  limits: BatteryLimits,
  surplus: Int32Array,
  first: number,
  start: number,
  { charge, discharge, stored, grid }: BatteryRows,
): void {
  const { capacity, reserve, efficiency, chargeLimit, dischargeLimit } = limits;
  let x = start;
  charge.fill(0, 0, first);
  discharge.fill(0, 0, first);
  grid.fill(0, 0, first);
  stored.fill(x, 0, first + 1);
  for (let i = first; i < QUARTER_HOURS_PER_DAY; i++) {
    const available = surplus[i] ?? 0;
    let taken = 0;
    let given = 0;
    // Full and empty batteries, which most are for half of the day, have nothing to compute.
    if (available > 0 ? x < capacity : x > reserve) {
      const step = requestedEnergy(limits, available);
      const next = Math.min(capacity, Math.max(reserve, x + step));
      const delta = next - x;
      if (delta > 0) {
        taken = delta === step ? Math.min(available, chargeLimit) : roundNonNegative(delta / efficiency);
      } else if (delta < 0) {
        given = delta === step ? Math.min(-available, dischargeLimit) : Math.floor(-delta * efficiency);
      }
      x = next;
    }
    charge[i] = taken;
    discharge[i] = given;
    grid[i] = taken - given - available;
    stored[i + 1] = x;
  }
}
