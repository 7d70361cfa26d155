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
  const link = (date: string, isUtcAsked = isUtc): string =>
    `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ day: date, ...(isUtcAsked ? { zone: 'utc' } : {}) }).toString()}`;
  return {
    date: day.date,
    zone: clock.zone,
    before: link(addDays(day.date, -1)),
    after: isToday ? undefined : link(addDays(day.date, 1)),
    otherClocks: { href: link(day.date, !isUtc), label: isUtc ? 'Local time' : 'UTC' },
  };
}

/** How sentences call the day: `Today until 14:15`, or its date. */
export function nameDay(
  { day, clock, isToday }: ShownDay,
  last: Pick<FleetEntry, 'time'> | undefined,
): string {
  if (!isToday) return `On ${day.date}`;
  if (last === undefined) return 'Today';
  const end = new Date(Date.parse(last.time) + QUARTER_HOUR_MS);
  return `Today until ${end >= day.to ? '24:00' : clock.formatTime(end)}`;
}
