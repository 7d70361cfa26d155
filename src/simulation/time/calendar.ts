/** The proleptic Gregorian calendar of UTC, in days since 1 January 1970. */
import { DAY_MS } from '../../domain/api/durations.ts';

/** Of a year that is no leap year. */
export const DAYS_OF_MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** Leap days from year 1 to the end of 1969. */
const LEAP_DAYS_BEFORE_1970 = 477;

function computeFirstDay(year: number): number {
  const last = year - 1;
  const leapDays = Math.floor(last / 4) - Math.floor(last / 100) + Math.floor(last / 400);
  return 365 * (year - 1970) + leapDays - LEAP_DAYS_BEFORE_1970;
}

/** The years that are asked for many times, in a table: computing them took a tenth of the time of a day's weather. */
const TABLE_START = 1900;
const FIRST_DAYS = Int32Array.from({ length: 400 }, (_, i) => computeFirstDay(TABLE_START + i));

/** Day number (days since 1970) of 1 January of a year. */
export function firstDayOf(year: number): number {
  const index = year - TABLE_START;
  return index >= 0 && index < FIRST_DAYS.length ? (FIRST_DAYS[index] ?? 0) : computeFirstDay(year);
}

/** Year in which a day (days since 1970) lies. */
export function yearOfDay(day: number): number {
  const guess = 1970 + Math.floor(day / 365.2425);
  if (day < firstDayOf(guess)) return guess - 1;
  return day < firstDayOf(guess + 1) ? guess : guess + 1;
}

/** Calendar year (UTC) of an instant in ms since 1970. */
export function utcYearOf(atMs: number): number {
  return yearOfDay(Math.floor(atMs / DAY_MS));
}

/** Day of the year, 1..366, of a day number (days since 1970). */
export function dayOfYear(day: number): number {
  return day - firstDayOf(yearOfDay(day)) + 1;
}
