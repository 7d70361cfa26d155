/** Courses through the year by twelve monthly means: straight lines between months whose means stay. */
import { allocateFloat64Array } from '../kernel/typed-arrays.ts';
import { DAYS_OF_MONTHS } from '../time/calendar.ts';

const MONTHS = 12;
const YEAR_DAYS = 365.25;

/** Month whose middle came last, and the part of the way to the next, by the day of the year 0..366. */
const MONTH_BEFORE = new Uint8Array(367);
const PART = new Float64Array(367);

function middleOf(month: number): number {
  const first = DAYS_OF_MONTHS.slice(0, month).reduce<number>((sum, days) => sum + days, 0);
  return first + 1 + (DAYS_OF_MONTHS[month] ?? 0) / 2;
}
for (let day = 0; day <= 366; day++) {
  let month = MONTHS - 1;
  for (let i = 0; i < MONTHS; i++) if (middleOf(i) <= day + 0.5) month = i;
  const from = middleOf(month) - (day + 0.5 < middleOf(0) ? 365 : 0);
  const to = month === MONTHS - 1 ? from + 31 : middleOf(month + 1);
  MONTH_BEFORE[day] = month;
  PART[day] = Math.min(1, (day + 0.5 - from) / (to - from));
}

/**
 * Straight lines between middles of months have as mean of a month three quarters of its middle and an eighth of each
 * neighbour's; this gives the middles for means, by how many months they are apart.
 */
const MIDDLES_OF_MEANS = invert([0.75, 0.125, ...new Array<number>(MONTHS - 3).fill(0), 0.125]);

/** The inverse of a circulant matrix by the first row of each. */
function invert(row: readonly number[]): Float64Array {
  const inverse = new Float64Array(MONTHS);
  for (let i = 0; i < MONTHS; i++) {
    for (let wave = 0; wave < MONTHS; wave++) {
      const gain = row.reduce((sum, part, j) => sum + part * Math.cos((2 * Math.PI * wave * j) / MONTHS), 0);
      inverse[i] = (inverse[i] ?? 0) + Math.cos((2 * Math.PI * wave * i) / MONTHS) / gain / MONTHS;
    }
  }
  return inverse;
}

/** A course through the year, by the day. */
export class MonthlyCourse {
  readonly #knots = allocateFloat64Array(MONTHS);

  /** The course with these means of the twelve months. */
  constructor(means: ArrayLike<number>) {
    for (let i = 0; i < MONTHS; i++) {
      let knot = 0;
      for (let j = 0; j < MONTHS; j++) {
        knot += (MIDDLES_OF_MEANS[(j - i + MONTHS) % MONTHS] ?? 0) * (means[j] ?? 0);
      }
      this.#knots[i] = knot;
    }
  }

  /** The value on a day of the year, 1..366. */
  atDayOfYear(day: number): number {
    const month = MONTH_BEFORE[day] ?? 0;
    const from = this.#knots[month] ?? 0;
    const to = this.#knots[month === MONTHS - 1 ? 0 : month + 1] ?? 0;
    return from + (to - from) * (PART[day] ?? 0);
  }
}

/** Middle of January, when the north is coldest. */
const COLDEST_DAY = 15;
const WARMTH = Float64Array.from(
  { length: 367 },
  (_, day) => -Math.cos((2 * Math.PI * (day - COLDEST_DAY)) / YEAR_DAYS),
);

/** -1 in the middle of January, 1 in the middle of July, by the day of the year. */
export const northernWarmth = (day: number): number => WARMTH[day] ?? 0;
