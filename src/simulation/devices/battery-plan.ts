/**
 * The cheapest use of a battery with prices that are known (docs/simulation.md#battery-by-price). What stored energy is worth
 * falls the more there is of it: its value is a concave line, made of straight pieces. Going back in time, a quarter hour adds
 * pieces for what it could charge and discharge and cuts off what the battery cannot hold; that is the exact optimum, for
 * every charge at once. What comes of it are levels for each quarter hour between which the battery is left alone, so that
 * more charge before a quarter hour is never less after it.
 */
import { feedInPriceOf } from '../control/own-power.ts';
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import type { BatteryLimits } from './battery.ts';
import { createBatteryLevels, fullEnergyOf, lackEnergyOf, ownEnergyOf } from './battery-levels.ts';
import type { BatteryLevels } from './battery-levels.ts';

/** What a plan is made of. */
export interface BatteryQuestion {
  readonly limits: BatteryLimits;
  /** Below it nothing is discharged, mWh. */
  readonly reserve: number;
  /** Whether the battery may be charged from the grid. */
  readonly gridCharging: boolean;
  /** EUR/MWh, by quarter hour. */
  readonly prices: ArrayLike<number>;
  /** What the household is expected to have left (below 0: to lack), AC, mWh. */
  readonly surplus: ArrayLike<number>;
  /** Quarter hours. */
  readonly count: number;
  /** Energy that is to be stored at the end, mWh. */
  readonly end: number;
}

/** Longest plan: a day on which clocks are put back by up to four hours, as at stations in Antarctica. */
export const MAX_PLANNED_QUARTERS = QUARTER_HOURS_PER_DAY + 16;
const MAX_PIECES = 2 + 3 * MAX_PLANNED_QUARTERS;

/** The value of stored energy as straight pieces, from the reserve upwards: steepest first. */
const value = {
  count: 0,
  /** EUR/MWh. */
  slope: new Float64Array(MAX_PIECES),
  /** mWh. */
  length: new Float64Array(MAX_PIECES),
};

/** The levels of each quarter hour, in order of time. */
export function planBattery(question: BatteryQuestion): BatteryLevels {
  const { limits, reserve, count, prices, surplus, end, gridCharging } = question;
  const { capacity, efficiency } = limits;
  const floor = Math.min(reserve, capacity);
  value.count = 0;
  const kept = Math.min(capacity, Math.max(floor, end)) - floor;
  // Energy up to `end` is worth more than whatever can be earned with it, energy above it nothing.
  insertPiece(dearestOf(prices, count) / efficiency + 1, kept);
  insertPiece(0, capacity - floor - kept);
  const levels = createBatteryLevels(count);
  for (let i = count - 1; i >= 0; i--) {
    const price = prices[i] ?? 0;
    const own = feedInPriceOf(price);
    levels.fill[i] = floor + lengthAbove(own / efficiency, true);
    levels.keep[i] = price < 0 ? capacity : floor + lengthAbove(price * efficiency, false);
    levels.buy[i] = gridCharging ? floor + lengthAbove(price / efficiency, false) : 0;
    addQuarter(limits, surplus[i] ?? 0, price, gridCharging);
  }
  return levels;
}

function dearestOf(prices: ArrayLike<number>, count: number): number {
  let dearest = 0;
  for (let i = 0; i < count; i++) dearest = Math.max(dearest, prices[i] ?? 0);
  return dearest;
}

/** What a quarter hour could do makes the value that of its beginning. */
function addQuarter(limits: BatteryLimits, surplus: number, price: number, gridCharging: boolean): void {
  const { efficiency } = limits;
  const own = ownEnergyOf(limits, surplus);
  const bought = gridCharging ? fullEnergyOf(limits) - own : 0;
  const ownCost = feedInPriceOf(price) / efficiency;
  const boughtCost = price / efficiency;
  if (bought > 0 && boughtCost < ownCost) {
    // The grid pays for what it gives, but own power is used first: both have one cost together.
    insertPiece((ownCost * own + boughtCost * bought) / (own + bought), own + bought);
  } else {
    if (own > 0) insertPiece(ownCost, own);
    if (bought > 0) insertPiece(boughtCost, bought);
  }
  const given = price < 0 ? 0 : lackEnergyOf(limits, surplus);
  if (given > 0) insertPiece(price * efficiency, given);
  cutBottom(own + bought);
  cutTop(given);
}

function insertPiece(slope: number, length: number): void {
  if (length <= 0) return;
  const { slope: slopes, length: lengths } = value;
  let at = 0;
  for (let high = value.count; at < high;) {
    const middle = (at + high) >> 1;
    if ((slopes[middle] ?? 0) >= slope) at = middle + 1;
    else high = middle;
  }
  if (at > 0 && slopes[at - 1] === slope) {
    lengths[at - 1] = (lengths[at - 1] ?? 0) + length;
    return;
  }
  slopes.copyWithin(at + 1, at, value.count);
  lengths.copyWithin(at + 1, at, value.count);
  slopes[at] = slope;
  lengths[at] = length;
  value.count++;
}

/** Cuts off energies below the reserve. */
function cutBottom(length: number): void {
  const { slope, length: lengths } = value;
  let pieces = 0;
  let left = length;
  while (pieces < value.count && (lengths[pieces] ?? 0) <= left) left -= lengths[pieces++] ?? 0;
  slope.copyWithin(0, pieces, value.count);
  lengths.copyWithin(0, pieces, value.count);
  value.count -= pieces;
  if (left > 0) lengths[0] = (lengths[0] ?? 0) - left;
}

/** Cuts off energies above the capacity. */
function cutTop(length: number): void {
  const { length: lengths } = value;
  let left = length;
  while (value.count > 0 && (lengths[value.count - 1] ?? 0) <= left) left -= lengths[--value.count] ?? 0;
  if (left > 0) lengths[value.count - 1] = (lengths[value.count - 1] ?? 0) - left;
}

/** How much energy is worth more than that, or as much too. */
function lengthAbove(worth: number, orEqual: boolean): number {
  const { count, slope, length } = value;
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const here = slope[i] ?? 0;
    if (here < worth || (here === worth && !orEqual)) break;
    sum += length[i] ?? 0;
  }
  return sum;
}
