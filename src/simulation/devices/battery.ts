/**
 * Storage without stored state. A quarter hour of a battery whose power limits do not hang on its charge maps
 * the stored energy x to min(hi, max(lo, x + d)). Such maps compose to one of their kind, so a day is three
 * numbers, and walking back until lo = hi gives the exact charge whatever came before (coupling from the past).
 * All energies are integers in mWh: in floating point composed and stepped maps differ.
 */

import { roundPositive } from '../kernel/typed-arrays.ts';

export interface StorageTransition {
  readonly change: number;
  readonly min: number;
  readonly max: number;
}

export const NO_TRANSITION: StorageTransition = { change: 0, min: -Infinity, max: Infinity };

export function applyTransition(map: StorageTransition, x: number): number {
  return Math.min(map.max, Math.max(map.min, x + map.change));
}

/** The map that does `first`, then `second`. */
export function composeTransitions(first: StorageTransition, second: StorageTransition): StorageTransition {
  const limit = (x: number) => Math.min(second.max, Math.max(second.min, x + second.change));
  return { change: first.change + second.change, min: limit(first.min), max: limit(first.max) };
}

/**
 * Charge at the start of `day`. `dayMap` gives the map of a whole day; the walk ends where the past no longer
 * matters, or at a day at whose start the charge is known, which the first day must be.
 */
export function storedEnergyAtDayStart(
  dayMap: (day: number) => StorageTransition,
  day: number,
  chargeAt: (day: number) => number | undefined,
): number {
  let total = NO_TRANSITION;
  for (let back = day; ; back--) {
    const charge = chargeAt(back);
    if (charge !== undefined) return applyTransition(total, charge);
    total = composeTransitions(dayMap(back - 1), total);
    if (total.min === total.max) return total.min;
  }
}

/** A stationary battery in integers; power limits as AC energy in a quarter. */
export interface BatteryLimits {
  readonly capacity: number;
  /** Reserve that is never discharged: 5 % (docs/simulation.md#stationary-battery). */
  readonly floor: number;
  readonly initial: number;
  readonly chargeLimit: number;
  readonly dischargeLimit: number;
  readonly efficiency: number;
}

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
    floor: reserve,
    initial: Math.max(
      reserve,
      Math.min(capacity, Math.round((capacity * battery.initial_soc_percent) / 100)),
    ),
    chargeLimit: battery.max_charge_power_w * 250,
    dischargeLimit: battery.max_discharge_power_w * 250,
    efficiency: battery.efficiency,
  };
}

/**
 * Self-consumption: what a surplus (or, negative, a lack) of AC energy within the power limits would add to the
 * store.
 */
function requestedEnergy(store: BatteryLimits, net: number): number {
  return net > 0
    ? roundPositive(Math.min(net, store.chargeLimit) * store.efficiency)
    : -roundPositive(Math.min(-net, store.dischargeLimit) / store.efficiency);
}

/** Map of the quarters of a day from `first` on. */
export function batteryTransition(store: BatteryLimits, net: Int32Array, first: number): StorageTransition {
  let change = 0;
  let min = -Infinity;
  let max = Infinity;
  for (let i = first; i < net.length; i++) {
    const step = requestedEnergy(store, net[i] ?? 0);
    change += step;
    min = Math.min(store.capacity, Math.max(store.floor, min + step));
    max = Math.min(store.capacity, Math.max(store.floor, max + step));
  }
  return { change, min, max };
}

/** What a battery did: AC energies of the quarters, and its charge before each and after the last. */
export interface BatteryRows {
  readonly charge: Int32Array;
  readonly discharge: Int32Array;
  readonly stored: Int32Array;
}

/** Steps from the charge x before quarter `first` through a day and writes it down. */
export function simulateBatteryDay(
  store: BatteryLimits,
  net: Int32Array,
  first: number,
  start: number,
  rows: BatteryRows,
): void {
  const { charge, discharge, stored } = rows;
  const { capacity, floor: reserve, efficiency, chargeLimit, dischargeLimit } = store;
  let x = start;
  charge.fill(0, 0, first);
  discharge.fill(0, 0, first);
  stored.fill(x, 0, first + 1);
  for (let i = first; i < net.length; i++) {
    const surplus = net[i] ?? 0;
    const step = requestedEnergy(store, surplus);
    const next = Math.min(capacity, Math.max(reserve, x + step));
    const delta = next - x;
    let taken = 0;
    let given = 0;
    if (delta > 0)
      taken = delta === step ? Math.min(surplus, chargeLimit) : roundPositive(delta / efficiency);
    else if (delta < 0)
      given = delta === step ? Math.min(-surplus, dischargeLimit) : Math.floor(-delta * efficiency);
    charge[i] = taken;
    discharge[i] = given;
    x = next;
    stored[i + 1] = x;
  }
}
