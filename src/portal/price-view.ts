import type { Request } from 'express';
import { tryParseInstant } from '../domain/api/instants.ts';
import { readShownDay } from './fleet-day.ts';
import { readQueryParameter } from './forms.ts';
import type { LocalClock } from './local-days.ts';
import { addDays } from './local-days.ts';
import { PRICES_PATH } from './paths.ts';
import { scopedPath } from './scopes.ts';
import type { Scope } from './scopes.ts';
import { formatDate } from './time-spans.ts';
import type { TimeSpan } from './time-spans.ts';

/** How many days a page shows, by what addresses call them. */
export const DAY_CHOICES: Readonly<Record<string, string>> = {
  '1': 'One day',
  '2': 'Two days',
  '7': 'A week',
};
const DEFAULT_DAYS = '2';

/** What the page of prices shows, as its address says. */
export interface PriceView extends TimeSpan {
  /** The first day. */
  readonly date: string;
  readonly days: string;
  readonly clock: LocalClock;
  readonly isUtc: boolean;
  /** The heat pump that is sought: an id, the id of its user or the beginning of the user's email; empty for the first. */
  readonly pump: string;
  /** The instant whose knowledge is shown beside what is known now. */
  readonly then: Date | undefined;
}

/** Today and tomorrow on the clocks of the zone, unless the address says otherwise. */
export function readPriceView(request: Request, zone: string | undefined, now: Date): PriceView {
  const { day, clock, isUtc } = readShownDay(request, zone, now);
  const asked = readQueryParameter(request, 'days') ?? '';
  const days = Object.hasOwn(DAY_CHOICES, asked) ? asked : DEFAULT_DAYS;
  const last = clock.findDay(addDays(day.date, Number(days) - 1)) ?? day;
  return {
    date: day.date,
    from: day.from,
    to: last.to,
    days,
    clock,
    isUtc,
    pump: (readQueryParameter(request, 'pump') ?? '').trim(),
    then: tryParseInstant(readQueryParameter(request, 'then') ?? ''),
  };
}

/** The path of the page of prices, or of one below it, that shows the same but for what is named. */
export function priceViewPath(
  scope: Scope,
  { date, days, isUtc, pump, then }: PriceView,
  change: Partial<Pick<PriceView, 'date' | 'isUtc' | 'then'>> = {},
  page = '',
): string {
  const shown = { date, isUtc, then, ...change };
  return scopedPath(scope, `${PRICES_PATH}${page}`, {
    day: shown.date,
    days,
    ...(shown.isUtc ? { zone: 'utc' } : {}),
    ...(pump === '' ? {} : { pump }),
    ...(shown.then === undefined ? {} : { then: shown.then.toISOString() }),
  });
}

/** `24 Nov 2026`, or `24 Nov to 25 Nov 2026`. */
export function nameDays({ date, days }: PriceView): string {
  const last = addDays(date, Number(days) - 1);
  const end = `${formatDate(last)} ${last.slice(0, 4)}`;
  return last === date ? end : `${formatDate(date)} to ${end}`;
}
