import { HOUR_MS, MINUTE_MS, QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import type { LocalClock } from './local-days.ts';

/** A time from an instant on to another one. */
export interface TimeSpan {
  readonly from: Date;
  readonly to: Date;
}

/** Quarter hours one behind the other with the same value, as one span. */
export function joinQuarters<Value>(
  quarters: readonly { readonly start: Date; readonly value: Value }[],
): readonly (TimeSpan & { readonly value: Value })[] {
  const spans: (TimeSpan & { readonly value: Value })[] = [];
  for (const { start, value } of quarters) {
    const last = spans.at(-1);
    const to = new Date(start.getTime() + QUARTER_HOUR_MS);
    if (last?.to.getTime() === start.getTime() && last.value === value)
      spans[spans.length - 1] = { ...last, to };
    else spans.push({ from: start, to, value });
  }
  return spans;
}

const SHORT_MONTH = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' });
/** Looked up: a page of a week has some 2,000 dates. */
const MONTHS = Array.from({ length: 12 }, (_, month) => SHORT_MONTH.format(Date.UTC(2026, month)));

/** `24 Nov`, of `2026-11-24`. */
export function formatDate(date: string): string {
  return `${Number(date.slice(8, 10))} ${MONTHS[Number(date.slice(5, 7)) - 1] ?? ''}`;
}

/** `24 Nov 18:00`, by the clocks of a zone. */
export function formatInstant(clock: LocalClock, instant: Date): string {
  return `${formatDate(clock.dayOf(instant))} ${clock.formatTime(instant)}`;
}

/** `24 Nov 18:00 to 19:30`; the second date is told where it is another one. */
export function formatSpan(clock: LocalClock, { from, to }: TimeSpan): string {
  const isSameDay = clock.dayOf(from) === clock.dayOf(to);
  return `${formatInstant(clock, from)} to ${isSameDay ? clock.formatTime(to) : formatInstant(clock, to)}`;
}

/** `2 h`, `45 min`, `1 h 15 min`. */
export function formatDuration(ms: number): string {
  const [hours, minutes] = [Math.floor(ms / HOUR_MS), Math.round((ms % HOUR_MS) / MINUTE_MS)];
  const parts = [hours > 0 ? `${hours} h` : '', minutes > 0 ? `${minutes} min` : ''];
  return parts.filter((part) => part !== '').join(' ') || '0 min';
}
