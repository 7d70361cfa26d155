/** Weeks that pictures show. */
import { DAY_MS } from '../../src/domain/api/durations.ts';
import type { Axis } from './charts.ts';

export const WEEK_DAYS = 7;
/** Mondays, as days since 1970. */
export const WEEKS = {
  winter: Date.UTC(2025, 0, 20) / DAY_MS,
  summer: Date.UTC(2025, 6, 21) / DAY_MS,
} as const;
export type Season = keyof typeof WEEKS;
export const SEASONS = Object.keys(WEEKS) as Season[];

/** Days of a week from Monday's midnight on; `clock` says whose midnight. */
export const weekAxis = (clock: string): Axis => ({
  label: `Midnight before each day (${clock})`,
  from: 0,
  to: WEEK_DAYS,
  step: 1,
  tickNames: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun', 'Mon'],
});
