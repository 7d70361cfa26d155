import type { FleetEntry, ShownDay } from './fleet-day.ts';
import { addDays } from './local-days.ts';
import { QUARTER_HOUR_MS } from '../domain/api/durations.ts';

/** Links to the days around the one that a page shows, and to the other clocks. */
export interface DayLinks {
  readonly date: string;
  readonly zone: string;
  readonly before: string;
  /** Undefined on the last day that has begun. */
  readonly after: string | undefined;
  /** The same day by the other clocks. */
  readonly otherClocks: { readonly href: string; readonly label: string };
}

/** The links of a page at a path. */
export function dayLinks(path: string, { day, clock, isUtc, isToday }: ShownDay): DayLinks {
  const { date } = day;
  const at = (days: number): string => withDay(path, { day: { date: addDays(date, days) }, isUtc });
  return {
    date,
    zone: clock.zone,
    before: at(-1),
    after: isToday ? undefined : at(1),
    otherClocks: {
      href: withDay(path, { day, isUtc: !isUtc }),
      label: isUtc ? 'Local time' : 'UTC',
    },
  };
}

interface NamedDay {
  readonly day: Pick<ShownDay['day'], 'date'>;
  readonly isUtc: boolean;
}

/** The path of a page, or of a file, that shows a day. */
export function withDay(path: string, { day, isUtc }: NamedDay): string {
  const query = new URLSearchParams({ day: day.date, ...(isUtc ? { zone: 'utc' } : {}) });
  return `${path}${path.includes('?') ? '&' : '?'}${query.toString()}`;
}

/** A day of which nothing is known yet. */
export const TODAY = 'Today';

/** How sentences call the day: `Today until 14:15`, `Today` while nothing of it is known, or its date. */
export function nameDay(
  { day, clock, isToday }: ShownDay,
  last: Pick<FleetEntry, 'time'> | undefined,
): string {
  if (!isToday) return `On ${day.date}`;
  if (last === undefined) return TODAY;
  const end = new Date(Date.parse(last.time) + QUARTER_HOUR_MS);
  return `${TODAY} until ${end >= day.to ? '24:00' : clock.formatTime(end)}`;
}
