/**
 * Storage without stored state. A quarter hour of a battery whose power limits do not hang on its charge maps
 * the stored energy x to min(hi, max(lo, x + d)). Such maps compose to one of their kind, so a day is three
 * numbers, and walking back until lo = hi gives the exact charge whatever came before (coupling from the past).
 * All energies are integers in mWh: in floating point composed and stepped maps differ.
 */

import { nearest } from '../kernel/rows.ts';

export interface Clamp {
  readonly d: number;
  readonly lo: number;
  readonly hi: number;
}

export const IDENTITY: Clamp = { d: 0, lo: -Infinity, hi: Infinity };

export function applyClamp(map: Clamp, x: number): number {
  return Math.min(map.hi, Math.max(map.lo, x + map.d));
}

/** The map that does `first`, then `second`. */
export function compose(first: Clamp, second: Clamp): Clamp {
  const limit = (x: number) => Math.min(second.hi, Math.max(second.lo, x + second.d));
  return { d: first.d + second.d, lo: limit(first.lo), hi: limit(first.hi) };
}

/**
 * Charge at the start of `day`. `dayMap` gives the map of a whole day; the walk ends where the past no longer
 * matters, or at a day at whose start the charge is known, which the first day must be.
 */
export function walkBack(
  dayMap: (day: number) => Clamp,
  day: number,
  chargeAt: (day: number) => number | undefined,
): number {
  let total = IDENTITY;
  for (let back = day; ; back--) {
    const charge = chargeAt(back);
    if (charge !== undefined) return applyClamp(total, charge);
    total = compose(dayMap(back - 1), total);
    if (total.lo === total.hi) return total.lo;
  }
}

/** A stationary battery in integers; power limits as AC energy in a quarter. */
export interface Store {
  readonly capacity: number;
  /** Reserve that is never discharged: 5 % (B6). */
  readonly floor: number;
  readonly initial: number;
  readonly chargeLimit: number;
  readonly dischargeLimit: number;
  readonly efficiency: number;
}

export function storeOf(battery: {
  readonly capacity_kwh: number;
  readonly initial_soc_percent: number;
  readonly max_charge_power_w: number;
  readonly max_discharge_power_w: number;
  readonly efficiency: number;
}): Store {
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
function wish(store: Store, net: number): number {
  return net > 0
    ? nearest(Math.min(net, store.chargeLimit) * store.efficiency)
    : -nearest(Math.min(-net, store.dischargeLimit) / store.efficiency);
}

/** Map of the quarters of a day from `first` on. */
export function storeMap(store: Store, net: Int32Array, first: number): Clamp {
  let d = 0;
  let lo = -Infinity;
  let hi = Infinity;
  for (let i = first; i < net.length; i++) {
    const step = wish(store, net[i] ?? 0);
    d += step;
    lo = Math.min(store.capacity, Math.max(store.floor, lo + step));
    hi = Math.min(store.capacity, Math.max(store.floor, hi + step));
  }
  return { d, lo, hi };
}

/** What a battery did: AC energies of the quarters, and its charge before each and after the last. */
export interface StoreRows {
  readonly charge: Int32Array;
  readonly discharge: Int32Array;
  readonly stored: Int32Array;
}

/** Steps from the charge x before quarter `first` through a day and writes it down. */
export function runStore(store: Store, net: Int32Array, first: number, start: number, rows: StoreRows): void {
  const { charge, discharge, stored } = rows;
  const { capacity, floor: reserve, efficiency, chargeLimit, dischargeLimit } = store;
  let x = start;
  charge.fill(0, 0, first);
  discharge.fill(0, 0, first);
  stored.fill(x, 0, first + 1);
  for (let i = first; i < net.length; i++) {
    const surplus = net[i] ?? 0;
    const step = wish(store, surplus);
    const next = Math.min(capacity, Math.max(reserve, x + step));
    const delta = next - x;
    let taken = 0;
    let given = 0;
    if (delta > 0) taken = delta === step ? Math.min(surplus, chargeLimit) : nearest(delta / efficiency);
    else if (delta < 0)
      given = delta === step ? Math.min(-surplus, dischargeLimit) : Math.floor(-delta * efficiency);
    charge[i] = taken;
    discharge[i] = given;
    x = next;
    stored[i + 1] = x;
  }
}
