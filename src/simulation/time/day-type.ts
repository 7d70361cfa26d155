/** Kinds of days by which people live, those of the norm profiles of BDEW. */
import { DAY_MS } from '../../domain/api/durations.ts';
import { dayOfYear } from './calendar.ts';
import { isPublicHoliday } from './holidays.ts';

/** In this order tables hold them. Public holidays count as Sundays. */
export const DAY_TYPES = ['workday', 'saturday', 'sunday'] as const;
export type DayType = (typeof DAY_TYPES)[number];

/** Day of the week of a local day (days since 1970), Monday 0 to Sunday 6. 1 January 1970 is a Thursday. */
export const weekdayOf = (localDay: number): number => (((localDay + 3) % 7) + 7) % 7;

/**
 * Type of a local day (days since 1970) in a country (ISO 3166-1 alpha-2, null at sea): public holidays are Sundays, and 24
 * and 31 December count as Saturdays unless they are Sundays.
 */
export function dayTypeOf(localDay: number, country: string | null): DayType {
  const weekday = weekdayOf(localDay);
  if (weekday === 6 || isPublicHoliday(country, localDay)) return 'sunday';
  if (weekday === 5) return 'saturday';
  if (dayOfYear(localDay) < 358) return 'workday';
  const date = new Date(localDay * DAY_MS);
  const eve = date.getUTCMonth() === 11 && (date.getUTCDate() === 24 || date.getUTCDate() === 31);
  return eve ? 'saturday' : 'workday';
}
