/** Kinds of days by which people live, those of the norm profiles of BDEW. */
import { DAY_MS } from '../../domain/api/durations.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import { dayOfYear, firstDayOf, yearOfDay } from './calendar.ts';
import { isPublicHoliday } from './holidays.ts';

/** In this order tables hold them. Public holidays count as Sundays. */
export const DAY_TYPES = ['workday', 'saturday', 'sunday'] as const;
export type DayType = (typeof DAY_TYPES)[number];

/** Day of the week of a local day (days since 1970), Monday 0 to Sunday 6. 1 January 1970 is a Thursday. */
export const weekdayOf = (localDay: number): number => (((localDay + 3) % 7) + 7) % 7;

/** The types of days in one country. Those of some years are kept. */
export class DayTypes {
  readonly #country: string | null;
  readonly #years = new DayCache<readonly DayType[]>(4);
  /** The year asked last: its first day and the types of its days. */
  #first = 0;
  #types: readonly DayType[] = [];

  /** Of a country, ISO 3166-1 alpha-2, null at sea. */
  constructor(country: string | null) {
    this.#country = country;
  }

  /** Type of a local day (days since 1970). */
  of(localDay: number): DayType {
    const day = localDay - this.#first;
    if (day < 0 || day >= this.#types.length) this.#turnToYearOf(localDay);
    return this.#types[localDay - this.#first] ?? 'workday';
  }

  #turnToYearOf(localDay: number): void {
    const year = yearOfDay(localDay);
    const first = firstDayOf(year);
    const days = firstDayOf(year + 1) - first;
    const find = (): readonly DayType[] =>
      Array.from({ length: days }, (_, i) => findDayType(first + i, this.#country));
    this.#first = first;
    this.#types = this.#years.find(year) ?? this.#years.set(year, find());
  }
}

/** By country, of which there are not many. */
const countries = new Map<string | null, DayTypes>();

/** The types of days in a country (ISO 3166-1 alpha-2, null at sea), shared by all who live there. */
export function dayTypesIn(country: string | null): DayTypes {
  let types = countries.get(country);
  if (!types) countries.set(country, (types = new DayTypes(country)));
  return types;
}

/**
 * Type of a local day (days since 1970) in a country (ISO 3166-1 alpha-2, null at sea): public holidays are Sundays, and 24
 * and 31 December count as Saturdays unless they are Sundays.
 */
export const dayTypeOf = (localDay: number, country: string | null): DayType =>
  dayTypesIn(country).of(localDay);

function findDayType(localDay: number, country: string | null): DayType {
  const weekday = weekdayOf(localDay);
  if (weekday === 6 || isPublicHoliday(country, localDay)) return 'sunday';
  if (weekday === 5) return 'saturday';
  if (dayOfYear(localDay) < 358) return 'workday';
  const date = new Date(localDay * DAY_MS);
  const eve = date.getUTCMonth() === 11 && (date.getUTCDate() === 24 || date.getUTCDate() === 31);
  return eve ? 'saturday' : 'workday';
}
