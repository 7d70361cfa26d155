/** The published table H25 with its dynamisation, read and computed apart from the model's own. */
import { readFileSync } from 'node:fs';
import { DAY_MS } from '../../src/domain/api/durations.ts';
import { dayTypeOf } from '../../src/simulation/time/day-type.ts';
import type { DayType } from '../../src/simulation/time/day-type.ts';

const HOURS = 24;
const MONTHS = 12;
/** In the order of a month's columns. */
const COLUMNS: readonly DayType[] = ['saturday', 'sunday', 'workday'];

/** kWh of the 96 quarter hours in each column, of a million in the year. */
const TABLE = readFileSync(new URL('truth/h25.csv', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => /^\d/.test(line))
  .map((line) => line.split(',').slice(1).map(Number));

/** The published dynamisation of a day 1 to 366 of the year. */
const dynamisation = (day: number): number =>
  ((-3.92e-10 * day + 3.2e-7) * day - 7.02e-5) * day ** 2 + 2.1e-3 * day + 1.24;

/** A day as the table sees it. */
interface TableDay {
  readonly month: number;
  readonly type: DayType;
  readonly factor: number;
}

function tableDay(day: number): TableDay {
  const date = new Date(day * DAY_MS);
  const newYear = Date.UTC(date.getUTCFullYear(), 0, 1) / DAY_MS;
  return { month: date.getUTCMonth(), type: dayTypeOf(day, 'DE'), factor: dynamisation(day - newYear + 1) };
}

/** Mean of a column in each hour, kWh of a quarter hour. */
function hourly(month: number, type: DayType): number[] {
  const column = 3 * month + COLUMNS.indexOf(type);
  return Array.from({ length: HOURS }, (_, hour) => {
    const quarters = TABLE.slice(4 * hour, 4 * hour + 4).map((row) => row[column] ?? NaN);
    return quarters.reduce((total, value) => total + value, 0) / 4;
  });
}

/**
 * The mean day of each month (0 to 11) and type over whole years of days since 1970, by hour, over the mean of those years:
 * what a household has that consumes by the table.
 */
export function publishedDays(first: number, days: number): (month: number, type: DayType) => number[] {
  const calendar = Array.from({ length: days }, (_, i) => tableDay(first + i));
  const table = Array.from(
    { length: MONTHS },
    (_, month) => new Map(COLUMNS.map((type) => [type, hourly(month, type)])),
  );
  const curve = (month: number, type: DayType): readonly number[] => table[month]?.get(type) ?? [];
  const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
  const level = mean(calendar.map(({ month, type, factor }) => factor * mean(curve(month, type))));
  return (month, type) => {
    const its = calendar.filter((day) => day.month === month && day.type === type);
    const factor = mean(its.map((day) => day.factor));
    return curve(month, type).map((value) => (value * factor) / level);
  };
}
