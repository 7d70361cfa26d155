/** How rooms swing on summer days without any cooling: what engineers expect, since nothing measured is at hand. */
import { QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';
import { rowWithin } from './row.ts';
import type { Row } from './row.ts';
import { median, quantile } from './statistics.ts';

/** First day of June in a year that begins in January, and the days of summer. */
const JUNE = 151;
const SUMMER_DAYS = 92;
/** Central European summer time is so far ahead of UTC, h. */
const AHEAD_H = 2;

/** Each day of each home: warmest less coldest temperature, K, and the local hour of the warmest, 2 to 26. */
export interface SummerDay {
  readonly swingK: number;
  readonly warmestHour: number;
}

/** The day, given temperatures in mK before its quarter hours; undefined outside of summer. `day` counts from the year's first. */
export function summerDayOf(day: number, indoor: Int32Array): SummerDay | undefined {
  if (day < JUNE || day >= JUNE + SUMMER_DAYS) return undefined;
  const today = Array.from(indoor.subarray(0, QUARTER_HOURS_PER_DAY));
  const warmest = Math.max(...today);
  return {
    swingK: (warmest - Math.min(...today)) / 1000,
    warmestHour: today.indexOf(warmest) / 4 + AHEAD_H,
  };
}

/** Rows of the days of the homes of a place. */
export function summerRows(place: string, letter: string, days: readonly SummerDay[]): Row[] {
  const source = 'what is usual of homes with blinds and masonry; not measured';
  const swings = days.map(({ swingK }) => swingK);
  const known = (part: string, figure: string, truth: string) => ({
    id: `21${letter}${part}`,
    figure: `${place}, June to August: ${figure}`,
    truth,
    source,
  });
  return [
    rowWithin(known('1', 'swing of a day indoors, median, K', '1 to 2'), median(swings), [0.8, 2]),
    rowWithin(known('2', 'the same, 90 % of the days below, K', 'some 3'), quantile(swings, 0.9), [1.5, 3.5]),
    rowWithin(
      known('3', 'local hour of the warmest quarter hour, median', 'the evening'),
      median(days.map(({ warmestHour }) => warmestHour)),
      [17, 22],
      1,
    ),
  ];
}
