import { HOUR_MS } from '../domain/api/durations.ts';
import type { AttemptPeriod } from '../domain/notifications/webhook-statistics.ts';
import type { DayChart, Line } from './day-chart.ts';
import { formatTimeOfDay } from './times.ts';

/** The hours of the picture, the one under way as the last. */
export const HOURS = 24;

/** The beginning of the hours that end with the one of `now`. */
export function startOfHours(now: Date): Date {
  return new Date((Math.floor(now.getTime() / HOUR_MS) + 1 - HOURS) * HOUR_MS);
}

function toLine(label: string, token: string, values: readonly (number | null)[], unit: string): Line {
  return { label, token, values, texts: values.map((value) => (value === null ? '–' : `${value}${unit}`)) };
}

/** Attempts and how long they took, by hours; an hour without an accepted attempt has no duration. */
export function chartAttempts(periods: readonly AttemptPeriod[], since: Date): DayChart {
  const byHour = new Map(periods.map((each) => [each.period, each]));
  const starts = Array.from({ length: HOURS + 1 }, (_, hour) => new Date(since.getTime() + hour * HOUR_MS));
  const values = (read: (period: AttemptPeriod) => number | null, missing: number | null) =>
    Array.from({ length: HOURS }, (_, hour) => {
      const period = byHour.get(hour);
      return period === undefined ? missing : read(period);
    });
  return {
    times: starts.map((start) => start.getTime() / 1_000),
    clocks: starts.map(formatTimeOfDay),
    zone: 'UTC',
    known: HOURS,
    panels: [
      {
        name: 'Attempts',
        unit: 'an hour',
        above: [
          toLine(
            'Accepted',
            'ok',
            values(({ accepted }) => accepted, 0),
            '',
          ),
          toLine(
            'Failed',
            'error',
            values(({ failed }) => failed, 0),
            '',
          ),
        ],
        below: [],
        lines: [],
      },
      {
        name: 'Accepted within',
        unit: 'ms',
        above: [],
        below: [],
        lines: [
          toLine(
            'Half of them',
            'text',
            values(({ medianMs }) => medianMs, null),
            ' ms',
          ),
          toLine(
            '95 of 100',
            'text-3',
            values(({ p95Ms }) => p95Ms, null),
            ' ms',
          ),
        ],
      },
    ],
  };
}

/** The same as a file. */
export function encodeAttempts(periods: readonly AttemptPeriod[], since: Date): string {
  const rows = periods.map(({ period, accepted, failed, medianMs, p95Ms }) =>
    [
      new Date(since.getTime() + period * HOUR_MS).toISOString(),
      accepted,
      failed,
      medianMs ?? '',
      p95Ms ?? '',
    ].join(),
  );
  return ['from,accepted,failed,median_ms,p95_ms', ...rows, ''].join('\r\n');
}
