/** Kinds of days as drivers know them. */
import { isPublicHoliday } from '../time/holidays.ts';

export type DrivingDay = 'workday' | 'saturday' | 'sunday';

/** Day of the week of a local day (days since 1970), Monday 0 to Sunday 6. 1 January 1970 is a Thursday. */
export const weekdayOf = (localDay: number): number => (((localDay + 3) % 7) + 7) % 7;

/** Kind of a local day (days since 1970) in a country (ISO 3166-1 alpha-2, null at sea); public holidays are Sundays. */
export function drivingDayOf(localDay: number, country: string | null): DrivingDay {
  const weekday = weekdayOf(localDay);
  if (weekday === 6 || isPublicHoliday(country, localDay)) return 'sunday';
  return weekday === 5 ? 'saturday' : 'workday';
}
