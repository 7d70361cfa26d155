/** What several households did together, summed up in periods of UTC. */
import type { QuarterSpan } from '../control/revisions.ts';

/**
 * What is summed for each period: energies and, at its end, stored energies in mWh; temperatures in mK over 0 C for each of
 * the quarter hours that are counted beside them; devices that report in it; and quarter hours of inverters, vehicles, what
 * charges them and heat pumps, all of them and those of periods that are read whole. What is not is in no sum.
 */
export const SUMMED = [
  'load',
  'pv',
  'ev',
  'hp',
  'heat',
  'charge',
  'discharge',
  'gridImport',
  'gridExport',
  'stored',
  'vehicleStored',
  'outdoor',
  'outdoorQuarters',
  'indoor',
  'hotWater',
  'indoorQuarters',
  'devices',
  'inverters',
  'invertersRead',
  'vehicles',
  'vehiclesRead',
  'chargers',
  'chargersRead',
  'pumps',
  'pumpsRead',
] as const;
export type Summed = (typeof SUMMED)[number];

/** Sums by period, one row of numbers for each of SUMMED; and of each period the households of least and most net energy. */
export interface PeriodSums {
  readonly sums: Float64Array;
  /** From the grid less into it, mWh; infinite where no household has the period. */
  readonly least: Float64Array;
  readonly most: Float64Array;
  /** Their indexes. */
  readonly leastIndex: Int32Array;
  readonly mostIndex: Int32Array;
}

/** The number of periods of `quarters` quarter hours that a span touches; periods begin at midnight of UTC. */
export function countPeriods({ first, end }: QuarterSpan, quarters: number): number {
  return end <= first ? 0 : Math.floor((end - 1) / quarters) - Math.floor(first / quarters) + 1;
}

/** Sums of nothing yet. */
export function createPeriodSums(periods: number): PeriodSums {
  return {
    sums: new Float64Array(periods * SUMMED.length),
    least: new Float64Array(periods).fill(Infinity),
    most: new Float64Array(periods).fill(-Infinity),
    leastIndex: new Int32Array(periods),
    mostIndex: new Int32Array(periods),
  };
}

/** Adds the sums of other households to those of some, for the same periods. */
export function mergePeriodSums(into: PeriodSums, more: PeriodSums): void {
  for (let i = 0; i < into.sums.length; i++) into.sums[i] = (into.sums[i] ?? 0) + (more.sums[i] ?? 0);
  for (let period = 0; period < into.least.length; period++) {
    rank(into, period, more.least[period] ?? Infinity, more.leastIndex[period] ?? 0);
    rank(into, period, more.most[period] ?? -Infinity, more.mostIndex[period] ?? 0);
  }
}

/** Compares a household with those that drew least and most in a period; of equal ones the first that comes stays. */
export function rank(sums: PeriodSums, period: number, net: number, index: number): void {
  if (net !== Infinity && net > (sums.most[period] ?? 0)) {
    sums.most[period] = net;
    sums.mostIndex[period] = index;
  }
  if (net !== -Infinity && net < (sums.least[period] ?? 0)) {
    sums.least[period] = net;
    sums.leastIndex[period] = index;
  }
}

const PLACE = Object.fromEntries(SUMMED.map((name, place) => [name, place])) as Record<Summed, number>;

/** Where the row of numbers of one thing begins. */
export const placeOf = ({ least }: PeriodSums, name: Summed): number => PLACE[name] * least.length;

/** What was summed of one thing in one period. */
export function readSum(sums: PeriodSums, name: Summed, period: number): number {
  return sums.sums[placeOf(sums, name) + period] ?? 0;
}
