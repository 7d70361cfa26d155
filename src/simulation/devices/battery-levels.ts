/** What a battery does in a quarter hour between levels of its charge. Energies are integers in mWh. */
import { roundNonNegative } from '../kernel/typed-arrays.ts';
import type { BatteryLimits } from './battery.ts';

/** Levels of the stored energy by quarter hour; the battery is charged above one and discharged below another by nothing else. */
export interface BatteryLevels {
  /** Own power that is left charges up to it. */
  readonly fill: Int32Array;
  /** What the household lacks is discharged down to it. */
  readonly keep: Int32Array;
  /** The grid charges up to it; 0 where that is not allowed. */
  readonly buy: Int32Array;
}

/** Room for the levels of so many quarter hours, all 0. */
export const createBatteryLevels = (quarters: number): BatteryLevels => ({
  fill: new Int32Array(quarters),
  keep: new Int32Array(quarters),
  buy: new Int32Array(quarters),
});

/** What own power can charge in a quarter hour at most, in the battery. */
export const ownEnergyOf = ({ chargeLimit, efficiency }: BatteryLimits, surplus: number): number =>
  surplus > 0 ? roundNonNegative(Math.min(surplus, chargeLimit) * efficiency) : 0;

/** What full power charges in a quarter hour, in the battery. */
export const fullEnergyOf = ({ chargeLimit, efficiency }: BatteryLimits): number =>
  roundNonNegative(chargeLimit * efficiency);

/** What a quarter hour with a lack can discharge at most, in the battery. */
export const lackEnergyOf = ({ dischargeLimit, efficiency }: BatteryLimits, surplus: number): number =>
  surplus < 0 ? roundNonNegative(Math.min(-surplus, dischargeLimit) / efficiency) : 0;

/**
 * The energy stored after the quarter hour `i` that begins with `x`; `surplus` is what the household has left, AC, below 0 what it
 * lacks. It never falls where `x` rises. A battery below what is kept is charged only.
 */
export function storedWithin(
  limits: BatteryLimits,
  { fill, keep, buy }: BatteryLevels,
  i: number,
  surplus: number,
  x: number,
): number {
  const bought = buy[i] ?? 0;
  const next = x < bought ? Math.min(bought, x + fullEnergyOf(limits)) : x;
  if (surplus > 0) {
    const filled = fill[i] ?? 0;
    return x < filled ? Math.max(next, Math.min(filled, x + ownEnergyOf(limits, surplus))) : next;
  }
  const kept = keep[i] ?? 0;
  return next > x || x <= kept ? next : Math.max(kept, x - lackEnergyOf(limits, surplus));
}

/** The energy stored after a quarter hour of self-consumption that begins with `x`, of a battery that keeps `reserve`. */
export function storedBySelfConsumption(
  limits: BatteryLimits,
  reserve: number,
  surplus: number,
  x: number,
): number {
  if (surplus > 0) return Math.max(x, Math.min(limits.capacity, x + ownEnergyOf(limits, surplus)));
  return x <= reserve ? x : Math.max(reserve, x - lackEnergyOf(limits, surplus));
}

/** AC energy that a quarter hour with `surplus` charged to bring the stored energy up by `delta`, mWh. */
export function chargedEnergy(limits: BatteryLimits, surplus: number, delta: number): number {
  const { chargeLimit, efficiency } = limits;
  if (surplus > 0 && delta === ownEnergyOf(limits, surplus)) return Math.min(surplus, chargeLimit);
  return delta === fullEnergyOf(limits) ? chargeLimit : roundNonNegative(delta / efficiency);
}

/** AC energy that a quarter hour with `surplus` gave for `delta` of the stored energy, mWh; never more than was lacking. */
export function dischargedEnergy(limits: BatteryLimits, surplus: number, delta: number): number {
  const { dischargeLimit, efficiency } = limits;
  if (delta === lackEnergyOf(limits, surplus)) return Math.min(-surplus, dischargeLimit);
  return Math.floor(delta * efficiency);
}
