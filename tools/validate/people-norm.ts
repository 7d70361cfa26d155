/** The mean day of a simulated fleet beside the published table H25, by month, type of day and hour. */
import { DAY_MS, QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';
import { MONTHS } from '../../src/simulation/people/norm-profile.ts';
import { DAY_TYPES, dayTypeOf } from '../../src/simulation/time/day-type.ts';
import type { DayType } from '../../src/simulation/time/day-type.ts';
import { publishedDays } from './h25.ts';
import { DAYS_PER_YEAR, FIRST_DAY, loadHouseholds, loadOf } from './simulated-loads.ts';
import { mean } from './statistics.ts';

export const NORM_HOMES = 1000;
/** So that a month has more than the four or five Saturdays of one year, whose chance would be most of the distance. */
export const NORM_YEARS = 3;
export const HOURS = 24;

export interface MeanDay {
  readonly month: number;
  readonly type: DayType;
  /** By hour, over the yearly mean. */
  readonly simulated: readonly number[];
  readonly norm: readonly number[];
  /** Root mean square of their differences. */
  readonly distance: number;
}

/** All months and types of days. */
export function meanDays(): MeanDay[] {
  const days = NORM_YEARS * DAYS_PER_YEAR;
  const total = new Float64Array(days * QUARTER_HOURS_PER_DAY);
  let asked = 0;
  for (const household of loadHouseholds({ count: NORM_HOMES })) {
    asked += household.load_annual_kwh;
    const load = loadOf(household, days);
    for (let i = 0; i < load.length; i++) total[i] = (total[i] ?? 0) + (load[i] ?? 0);
  }
  const publishedOn = publishedDays(FIRST_DAY, days);
  const hourMean = (asked * 1e6) / DAYS_PER_YEAR / HOURS;
  return Array.from({ length: MONTHS }, (_, month) =>
    DAY_TYPES.map((type) => meanDay(total, hourMean, month, type, publishedOn(month, type))),
  ).flat();
}

function meanDay(
  total: Float64Array,
  hourMean: number,
  month: number,
  type: DayType,
  norm: readonly number[],
): MeanDay {
  const sums = new Array<number>(HOURS).fill(0);
  let days = 0;
  for (let day = 0; day < total.length / QUARTER_HOURS_PER_DAY; day++) {
    const isIts = new Date((FIRST_DAY + day) * DAY_MS).getUTCMonth() === month;
    if (!isIts || dayTypeOf(FIRST_DAY + day, 'DE') !== type) continue;
    days += 1;
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      sums[i >> 2] = (sums[i >> 2] ?? 0) + (total[day * QUARTER_HOURS_PER_DAY + i] ?? 0);
    }
  }
  const simulated = sums.map((sum) => sum / days / hourMean);
  const distance = Math.sqrt(mean(simulated.map((value, hour) => (value - (norm[hour] ?? 0)) ** 2)));
  return { month, type, simulated, norm, distance };
}
