/** Days on which nobody is at home: holidays and single days (docs/simulation.md#occupancy-and-absence). */
import type { Household } from '../household/household.ts';
import {
  NOISE_CHANNEL,
  WORD_VALUES,
  hashInStream,
  hashStream,
  pickIndexByShares,
  splitSeed,
} from '../kernel/noise.ts';
import { firstDayOf, yearOfDay } from '../time/calendar.ts';
import { profileDayOf, profileMonthOf } from './norm-profile.ts';

/** Journeys of a year in days, and the percentage of households that make them (assumption). */
const PATTERNS: readonly { readonly sharePercent: number; readonly journeys: readonly number[] }[] = [
  { sharePercent: 30, journeys: [] },
  { sharePercent: 35, journeys: [7] },
  { sharePercent: 15, journeys: [14] },
  { sharePercent: 10, journeys: [7, 7] },
  { sharePercent: 10, journeys: [14, 7] },
];
const PATTERN_SHARES = PATTERNS.map(({ sharePercent }) => sharePercent);

/** How often journeys fall into each month, in tenths of an even spread: most in summer, some at Christmas. */
const MONTH_WEIGHTS = [6, 5, 6, 9, 10, 11, 22, 22, 12, 9, 3, 7] as const;

/** Single days of a year on which nobody comes home. */
const SINGLE_DAYS = 2;
const DAYS_PER_YEAR = 365;

/** Journeys of one length begin on these days of the year, so that they end within it. */
interface JourneyDates {
  /** Sums of the weights of the days of the year 0.. that come before each. */
  readonly sums: Int32Array;
  /** Probability that such a journey takes in a day of the year 0..365. */
  readonly probabilities: Float64Array;
}

function journeyDatesOf(length: number, latitude: number): JourneyDates {
  const days = DAYS_PER_YEAR - length + 1;
  const sums = new Int32Array(days + 1);
  for (let day = 0; day < days; day++) {
    const middle = profileMonthOf(profileDayOf(day + (length >> 1) + 1, latitude));
    sums[day + 1] = (sums[day] ?? 0) + (MONTH_WEIGHTS[middle] ?? 0);
  }
  const total = sums[days] ?? 0;
  const probabilities = Float64Array.from({ length: DAYS_PER_YEAR + 1 }, (_, day) => {
    const last = Math.min(days, day + 1);
    return ((sums[last] ?? 0) - (sums[Math.min(last, Math.max(0, day - length + 1))] ?? 0)) / total;
  });
  return { sums, probabilities };
}

/** By length, of the north and of the south. */
const DATES = [50, -50].map(
  (latitude) => new Map([7, 14].map((length) => [length, journeyDatesOf(length, latitude)])),
);

/** The day of the year 0.. on which a journey begins, by a hash 0..2^32 - 1; computed with integers only. */
function startByHash(sums: Int32Array, hash: number): number {
  const target = Math.floor((hash * (sums.at(-1) ?? 0)) / WORD_VALUES);
  let low = 0;
  let high = sums.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sums[middle] ?? 0) <= target) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The absences of one household. The journeys of the year asked last are kept. */
export class Absences {
  readonly #journeyStream: number;
  readonly #singleDayStream: number;
  readonly #dates: ReadonlyMap<number, JourneyDates>;
  #year = NaN;
  #firstDay = 0;
  #pattern: readonly number[] = [];
  #starts: number[] = [];

  constructor({ seed, index, latitude }: Household) {
    const halves = splitSeed(seed);
    this.#journeyStream = hashStream(halves, index, NOISE_CHANNEL.journey);
    this.#singleDayStream = hashStream(halves, index, NOISE_CHANNEL.dayAway);
    this.#dates = DATES[latitude < 0 ? 1 : 0] ?? new Map<number, JourneyDates>();
  }

  /** Whether nobody is at home on a whole local day (days since 1970). */
  isAway(localDay: number): boolean {
    if (hashInStream(this.#singleDayStream, localDay) * DAYS_PER_YEAR < SINGLE_DAYS * WORD_VALUES)
      return true;
    this.#turnToYearOf(localDay);
    const day = localDay - this.#firstDay;
    for (let i = 0; i < this.#starts.length; i++) {
      const since = day - (this.#starts[i] ?? 0);
      if (since >= 0 && since < (this.#pattern[i] ?? 0)) return true;
    }
    return false;
  }

  /**
   * How probable it was, before the dates of the year's journeys were drawn, that the household is away on that day: what is
   * used on days at home is divided by the rest, so that a date's mean is what it would be without absences.
   */
  probabilityAway(localDay: number): number {
    this.#turnToYearOf(localDay);
    let home = 1 - SINGLE_DAYS / DAYS_PER_YEAR;
    for (const length of this.#pattern) {
      home *= 1 - (this.#dates.get(length)?.probabilities[localDay - this.#firstDay] ?? 0);
    }
    return 1 - home;
  }

  #turnToYearOf(localDay: number): void {
    const since = localDay - this.#firstDay;
    if (since >= 0 && since < DAYS_PER_YEAR && !Number.isNaN(this.#year)) return;
    const year = yearOfDay(localDay);
    if (year === this.#year) return;
    this.#year = year;
    this.#firstDay = firstDayOf(year);
    const stream = this.#journeyStream;
    this.#pattern = PATTERNS[pickIndexByShares(PATTERN_SHARES, hashInStream(stream, year))]?.journeys ?? [];
    this.#starts = this.#pattern.map((length, i) => {
      const dates = this.#dates.get(length);
      return dates ? startByHash(dates.sums, hashInStream(stream, year, i + 1)) : 0;
    });
  }
}
