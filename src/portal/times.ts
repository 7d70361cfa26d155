import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/api/durations.ts';

/** `2026-11-21 08:15`, UTC. */
export function formatMinute(instant: Date): string {
  return instant.toISOString().slice(0, 16).replace('T', ' ');
}

/** `2026-11-21 08:15:07`, UTC. */
export function formatSecond(instant: Date): string {
  return instant.toISOString().slice(0, 19).replace('T', ' ');
}

/** `08:15`, UTC. */
export function formatTimeOfDay(instant: Date): string {
  return instant.toISOString().slice(11, 16);
}

/** How long ago an instant was, in its largest unit: `3 hours ago`. */
export function formatAgo(instant: Date, now: Date): string {
  const ms = Math.max(0, now.getTime() - instant.getTime());
  if (ms < MINUTE_MS) return 'just now';
  if (ms < HOUR_MS) return `${countOf(Math.floor(ms / MINUTE_MS), 'minute')} ago`;
  if (ms < DAY_MS) return `${countOf(Math.floor(ms / HOUR_MS), 'hour')} ago`;
  return `${countOf(Math.floor(ms / DAY_MS), 'day')} ago`;
}

/** `1 fleet`, `2 fleets`, `10,000 fleets`. */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `10,000`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en');
}
