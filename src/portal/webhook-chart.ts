import { HOUR_MS } from '../domain/api/durations.ts';
import type { AttemptPeriod } from '../domain/notifications/webhook-statistics.ts';
import { toCsv } from './csv-lines.ts';
import { panelOfLines, toLine } from './day-chart.ts';
import type { DayChart, Line } from './day-chart.ts';
import { formatTimeOfDay } from './times.ts';

/** The hours of the picture, the one under way as the last. */
export const HOURS = 24;

const NONE_ACCEPTED = 'No attempt was accepted in these hours: there is no duration to show.';

/** The beginning of the hours that end with the one of `now`. */
export function startOfHours(now: Date): Date {
  return new Date((Math.floor(now.getTime() / HOUR_MS) + 1 - HOURS) * HOUR_MS);
}

/** Attempts and how long they took, by hours; an hour without an accepted attempt has no duration. */
export function chartAttempts(periods: readonly AttemptPeriod[], since: Date): DayChart {
  const byHour = new Map(periods.map((each) => [each.period, each]));
  const starts = Array.from({ length: HOURS + 1 }, (_, hour) => new Date(since.getTime() + hour * HOUR_MS));
  const valuesOf = (read: (period: AttemptPeriod) => number | null, missing: number | null) =>
    Array.from({ length: HOURS }, (_, hour) => {
      const period = byHour.get(hour);
      return period === undefined ? missing : read(period);
    });
  const count = (label: string, token: string, read: (period: AttemptPeriod) => number): Line =>
    toLine({ label, token, values: valuesOf(read, 0), format: String });
  const duration = (label: string, token: string, read: (period: AttemptPeriod) => number | null): Line =>
    toLine({ label, token, values: valuesOf(read, null), format: (ms) => `${ms} ms` });
  return {
    times: starts.map((start) => start.getTime() / 1_000),
    clocks: starts.map(formatTimeOfDay),
    zone: 'UTC',
    known: HOURS,
    ...(periods.some(({ accepted }) => accepted > 0) ? {} : { remarks: [NONE_ACCEPTED] }),
    panels: [
      {
        name: 'Attempts',
        unit: 'an hour',
        above: [
          count('Accepted', 'ok', ({ accepted }) => accepted),
          count('Failed', 'error', ({ failed }) => failed),
        ],
        below: [],
        lines: [],
      },
      panelOfLines('Accepted within', 'ms', [
        duration('Median', 'text', ({ medianMs }) => medianMs),
        duration('95th percentile', 'text-3', ({ p95Ms }) => p95Ms),
      ]),
    ],
  };
}

/** The same as a file. */
export function encodeAttempts(periods: readonly AttemptPeriod[], since: Date): string {
  const rows = periods.map(({ period, accepted, failed, medianMs, p95Ms }) => {
    const from = new Date(since.getTime() + period * HOUR_MS).toISOString();
    return [from, accepted, failed, medianMs, p95Ms];
  });
  return toCsv([['from', 'accepted', 'failed', 'median_ms', 'p95_ms'], ...rows]);
}
