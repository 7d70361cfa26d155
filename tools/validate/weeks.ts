/** Weeks that pictures show. */
import { DAY_MS } from '../../src/domain/api/durations.ts';
import type { Axis } from './charts.ts';

export const WEEK_DAYS = 7;
/** Mondays, as days since 1970. */
export const WEEKS = {
  winter: Date.UTC(2025, 1, 3) / DAY_MS,
  summer: Date.UTC(2025, 6, 21) / DAY_MS,
} as const;
export type Season = keyof typeof WEEKS;
export const SEASONS = Object.keys(WEEKS) as Season[];

const dateFormat = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
const dateOf = (day: number): string => dateFormat.format(day * DAY_MS).replace(',', '');

/** Days of a season's week from Monday's midnight on; `clock` says whose midnight. */
export const weekAxis = (season: Season, clock: string): Axis => ({
  label: `Midnight before each day of 2025 (${clock})`,
  from: 0,
  to: WEEK_DAYS,
  step: 1,
  tickNames: Array.from({ length: WEEK_DAYS }, (_, i) => dateOf(WEEKS[season] + i)),
});
