import type { Figure } from './fleet-story.ts';
import { addDays } from './local-days.ts';
import type { LocalClock } from './local-days.ts';
import { findInForce } from './price-list.ts';
import type { ListedPrice } from './price-list.ts';
import { listQuarters } from './day-chart.ts';
import { nameOrigin } from './price-table.ts';
import { formatPrice } from './quantities.ts';
import { formatDuration, formatInstant } from './time-spans.ts';
import type { TimeSpan } from './time-spans.ts';
import { formatAgo } from './times.ts';
import { QUARTER_HOUR_MS } from '../domain/api/durations.ts';

/** Today and tomorrow on the clocks of a zone. */
export function findOutlook(clock: LocalClock, now: Date): TimeSpan & { readonly tomorrow: TimeSpan } {
  const today = clock.findDay(clock.dayOf(now));
  const tomorrow = clock.findDay(addDays(clock.dayOf(now), 1));
  if (today === undefined || tomorrow === undefined) throw new Error('Today is no day.');
  return { from: today.from, to: tomorrow.to, tomorrow };
}

interface Outlook {
  /** Those in force today and tomorrow. */
  readonly prices: readonly ListedPrice[];
  readonly clock: LocalClock;
  readonly now: Date;
}

/** How prices stand: a sentence of now and tomorrow, and four numbers. */
export function tellOutlook({ prices, clock, now }: Outlook): {
  readonly sentence: string;
  readonly figures: readonly Figure[];
} {
  const { to, tomorrow } = findOutlook(clock, now);
  const quarterMs = Math.floor(now.getTime() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  const [current] = findInForce(prices, [new Date(quarterMs)]);
  const missingMs = measureMissing(prices, tomorrow);
  const missingTodayMs = measureMissing(prices, { from: new Date(quarterMs), to: tomorrow.from });
  const coming = prices.filter(
    ({ valid_until: end, valid_from: from }) =>
      Date.parse(end) > now.getTime() && Date.parse(from) < to.getTime(),
  );
  const until = current === undefined ? '' : clock.formatTime(new Date(current.valid_until));
  return {
    sentence:
      (current === undefined
        ? 'No price is in force now.'
        : `Now ${formatPrice(current.price)} until ${until} (${clock.zone}).`) +
      `${tellToday(missingTodayMs)} ${tellTomorrow(missingMs, tomorrow)}`,
    figures: [
      {
        label: 'Now',
        value: current === undefined ? 'None' : formatPrice(current.price),
        detail: current === undefined ? 'Heat pumps run as without prices' : tellCurrent(current, until, now),
        href: '#day',
      },
      {
        label: 'Tomorrow',
        value: missingMs === 0 ? 'Is in' : missingMs === lengthOf(tomorrow) ? 'Not in yet' : 'In parts',
        detail: missingMs === 0 ? 'From 00:00 to 24:00' : `${formatDuration(missingMs)} without a price`,
        href: '#day',
      },
      toExtreme('Lowest to come', coming, (a, b) => a.price - b.price, clock),
      toExtreme('Highest to come', coming, (a, b) => b.price - a.price, clock),
    ],
  };
}

function tellCurrent({ received_at: receivedAt, origin }: ListedPrice, until: string, now: Date): string {
  const whose = origin === 'own' ? '' : `, ${nameOrigin(origin)}`;
  return `Until ${until}, came ${formatAgo(new Date(receivedAt), now)}${whose}`;
}

/** What is missing of the rest of today; nothing where nothing is. */
function tellToday(missingMs: number): string {
  return missingMs === 0 ? '' : ` Of the rest of today ${formatDuration(missingMs)} are missing.`;
}

function tellTomorrow(missingMs: number, tomorrow: TimeSpan): string {
  if (missingMs === 0) return 'Tomorrow is in.';
  if (missingMs < lengthOf(tomorrow)) return `Of tomorrow ${formatDuration(missingMs)} are missing.`;
  return 'Tomorrow is not in yet.';
}

const lengthOf = ({ from, to }: TimeSpan): number => to.getTime() - from.getTime();

function measureMissing(prices: readonly ListedPrice[], span: TimeSpan): number {
  return (
    findInForce(prices, listQuarters(span)).filter((price) => price === undefined).length * QUARTER_HOUR_MS
  );
}

function toExtreme(
  label: string,
  prices: readonly ListedPrice[],
  compare: (a: ListedPrice, b: ListedPrice) => number,
  clock: LocalClock,
): Figure {
  const [extreme] = prices.toSorted(compare);
  return extreme === undefined
    ? { label, value: 'None', detail: 'Today and tomorrow', href: '#day' }
    : {
        label,
        value: formatPrice(extreme.price),
        detail: `${formatInstant(clock, new Date(extreme.valid_from))} to ${clock.formatTime(new Date(extreme.valid_until))}`,
        href: '#day',
      };
}
