/**
 * Storage without stored state. A quarter hour of a battery whose power limits do not hang on its charge maps
 * the stored energy x to min(hi, max(lo, x + d)). Such maps compose to one of their kind, so a day is three
 * numbers, and walking back until lo = hi gives the exact charge whatever came before (coupling from the past).
 * All energies are integers in mWh: in floating point composed and stepped maps differ.
 */

/** Bound once: under a test runner's context each use of a global is a slow lookup. */
const { max, min, round } = Math;

export interface Clamp {
  readonly d: number;
  readonly lo: number;
  readonly hi: number;
}

export const IDENTITY: Clamp = { d: 0, lo: -Infinity, hi: Infinity };

export function applyClamp(map: Clamp, x: number): number {
  return min(map.hi, max(map.lo, x + map.d));
}

/** The map that does `first`, then `second`. */
export function compose(first: Clamp, second: Clamp): Clamp {
  const limit = (x: number) => min(second.hi, max(second.lo, x + second.d));
  return { d: first.d + second.d, lo: limit(first.lo), hi: limit(first.hi) };
}

/**
 * Charge at the start of `day`. `dayMap` gives the map of a whole day; the walk ends where the past no longer
 * matters, or at `firstDay`, before whose map the charge is `initial`.
 */
export function walkBack(
  dayMap: (day: number) => Clamp,
  day: number,
  firstDay: number,
  initial: number,
): number {
  let total = IDENTITY;
  for (let back = day - 1; back >= firstDay; back--) {
    total = compose(dayMap(back), total);
    if (total.lo === total.hi) return total.lo;
  }
  return applyClamp(total, initial);
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
  const capacity = round(battery.capacity_kwh * 1e6);
  const floor = round(capacity * 0.05);
  return {
    capacity,
    floor,
    initial: max(floor, min(capacity, round((capacity * battery.initial_soc_percent) / 100))),
    chargeLimit: battery.max_charge_power_w * 250,
    dischargeLimit: battery.max_discharge_power_w * 250,
    efficiency: battery.efficiency,
  };
}

/** AC energy that a surplus (or, negative, a lack) of `net` would move within the power limits. */
function wishedAc(store: Store, net: number): number {
  return net > 0 ? min(net, store.chargeLimit) : min(-net, store.dischargeLimit);
}

/** Self-consumption: surplus is stored, lack is taken from the store. */
export function storeMap(store: Store, net: number): Clamp {
  const ac = wishedAc(store, net);
  const d = net > 0 ? round(ac * store.efficiency) : -round(ac / store.efficiency);
  return { d, lo: store.floor, hi: store.capacity };
}

/** One quarter from charge x: the new charge, and AC energy taken in and given out. */
export function storeStep(
  store: Store,
  net: number,
  x: number,
): { x: number; charge: number; discharge: number } {
  const map = storeMap(store, net);
  const next = applyClamp(map, x);
  const delta = next - x;
  const ac = wishedAc(store, net);
  if (delta > 0)
    return { x: next, charge: delta === map.d ? ac : round(delta / store.efficiency), discharge: 0 };
  const discharge = delta === map.d && delta < 0 ? ac : Math.floor(-delta * store.efficiency);
  return { x: next, charge: 0, discharge };
}
