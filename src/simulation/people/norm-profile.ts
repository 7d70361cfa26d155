/** The norm profile of households: the table H25 of BDEW, dynamised (docs/simulation.md#household-load). */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import table from '../../../generated/norm-profile.json' with { type: 'json' };
import { DAYS_OF_MONTHS } from '../time/calendar.ts';
import { DAY_TYPES } from '../time/day-type.ts';
import type { DayType } from '../time/day-type.ts';

export const MONTHS = 12;
const DAYS_PER_YEAR = 365;
/** Days of a week by type: what a mean over the year weighs the types with. */
const WEEKLY_DAYS: Readonly<Record<DayType, number>> = { workday: 5, saturday: 1, sunday: 1 };

/** Dynamisation of the norm profiles (VDEW 1999) on a day 1..366 of the year: more in winter. */
function dynamisationOn(day: number): number {
  return -3.92e-10 * day ** 4 + 3.2e-7 * day ** 3 - 7.02e-5 * day ** 2 + 2.1e-3 * day + 1.24;
}

/** Months (zero-based) of the days of a year, and the dynamisation of each over the mean of its month. */
const MONTH_OF_DAY = new Uint8Array(DAYS_PER_YEAR);
const DAY_OVER_MONTH = new Float64Array(DAYS_PER_YEAR);
const MONTH_DYNAMISATION = new Float64Array(MONTHS);
for (let month = 0, first = 0; month < MONTHS; month++) {
  const days = DAYS_OF_MONTHS[month] ?? 0;
  let sum = 0;
  for (let day = first; day < first + days; day++) sum += dynamisationOn(day + 1);
  MONTH_DYNAMISATION[month] = sum / days;
  for (let day = first; day < first + days; day++) {
    MONTH_OF_DAY[day] = month;
    DAY_OVER_MONTH[day] = (dynamisationOn(day + 1) * days) / sum;
  }
  first += days;
}

/**
 * Day of the profile's year, zero-based 0..364, of a day of the year 1..366: half a year later in the south; the last day
 * of leap years is the one before.
 */
export function profileDayOf(dayOfTheYear: number, latitude: number): number {
  const day = Math.min(DAYS_PER_YEAR, dayOfTheYear) - 1;
  return latitude < 0 ? (day + 181) % DAYS_PER_YEAR : day;
}

/** Month, zero-based, of a day of the profile's year. */
export const profileMonthOf = (profileDay: number): number => MONTH_OF_DAY[profileDay] ?? 0;

/** How much more than in the mean of its month the profile takes on a day of its year. */
export const dayOverMonthOf = (profileDay: number): number => DAY_OVER_MONTH[profileDay] ?? 1;

/** Share of a month's days (zero-based) of some type in the profile's year. */
const shareOf = (month: number, type: DayType): number =>
  ((DAYS_OF_MONTHS[month] ?? 0) * WEEKLY_DAYS[type]) / 7 / DAYS_PER_YEAR;

/** Mean of some figure of months (zero-based) and types of days over the profile's year. */
export function meanOverYear(figure: (month: number, type: DayType) => number): number {
  let sum = 0;
  for (let month = 0; month < MONTHS; month++) {
    for (const type of DAY_TYPES) sum += shareOf(month, type) * figure(month, type);
  }
  return sum;
}

function dynamised(month: number, type: DayType): Float64Array {
  const published: readonly (readonly number[])[] = table[type];
  const factor = MONTH_DYNAMISATION[month] ?? 1;
  return Float64Array.from(published[month] ?? [], (value) => value * factor);
}

export const meanOf = (values: Float64Array): number => {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
};

const YEARLY_MEAN = meanOverYear((month, type) => meanOf(dynamised(month, type)));
const PROFILE: Readonly<Record<DayType, readonly Float64Array[]>> = (() => {
  const ofMonths = (type: DayType) =>
    Array.from({ length: MONTHS }, (_, month) => dynamised(month, type).map((value) => value / YEARLY_MEAN));
  return { workday: ofMonths('workday'), saturday: ofMonths('saturday'), sunday: ofMonths('sunday') };
})();
const NO_LOAD = new Float64Array(QUARTER_HOURS_PER_DAY);

/** Load of the norm profile over its yearly mean at the 96 quarter hours of a day in the middle of a month (zero-based). */
export function normProfile(month: number, type: DayType): Float64Array {
  return PROFILE[type][month] ?? NO_LOAD;
}
