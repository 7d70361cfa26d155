import { QUARTER_HOUR_MS } from './durations.ts';

/** The start of the next quarter hour, from which on what is asked now holds and schedules are computed again. */
export function nextQuarterHour(now: Date): Date {
  return new Date((Math.floor(now.getTime() / QUARTER_HOUR_MS) + 1) * QUARTER_HOUR_MS);
}
