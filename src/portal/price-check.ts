import { HOUR_MS, QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import { isPricePast } from '../domain/prices/prices.ts';
import type {
  PriceComparison,
  PriceGaps,
  StoredBefore,
  UploadedPrice,
} from '../domain/prices/price-comparison.ts';
import { listQuarters, toLine } from './day-chart.ts';
import type { DayChart } from './day-chart.ts';
import type { LocalClock } from './local-days.ts';
import type { ListedPrice } from './price-list.ts';
import { formatPrice } from './quantities.ts';
import { formatDuration, formatInstant, formatSpan } from './time-spans.ts';
import type { TimeSpan } from './time-spans.ts';
import { countOf, formatCount } from './times.ts';

/** What an upload would do. */
export interface PriceCheck extends PriceComparison {
  /** Those of the same instants that are stored with other values, and what would be stored in their place. */
  readonly replaced: readonly { readonly stored: StoredBefore; readonly price: UploadedPrice }[];
  /** How many are stored already with the same values. */
  readonly same: number;
  /** Whether nothing would be stored since all of it is over. */
  readonly isLate: boolean;
  /** How many quarter hours or hours are over. */
  readonly past: number;
}

/** Looks through what an upload of at least one price would do to what is stored. */
export function checkPrices(comparison: PriceComparison, now: Date): PriceCheck {
  const { prices, stored } = comparison;
  const byStart = new Map(stored.map((each) => [each.startsAt.getTime(), each]));
  const replaced = prices.flatMap((price) => {
    const before = byStart.get(price.startsAt.getTime());
    return before === undefined || before.isSame ? [] : [{ stored: before, price }];
  });
  const past = prices.filter(({ startsAt }) => isPricePast(startsAt, now)).length;
  return {
    ...comparison,
    replaced,
    same: stored.length - replaced.length,
    isLate: past === prices.length,
    past,
  };
}

/** From the first price to the end of the hour for which the last one may hold. */
export function spanOf(prices: readonly UploadedPrice[]): TimeSpan {
  const [first, last] = [prices[0], prices.at(-1)];
  if (first === undefined || last === undefined) throw new Error('There are no prices.');
  return { from: first.startsAt, to: new Date(last.startsAt.getTime() + HOUR_MS) };
}

/** What people compare before they store it. */
export function describeCheck(
  { prices, replaced, same, past, gaps }: PriceCheck,
  clock: LocalClock,
): readonly (readonly [name: string, text: string])[] {
  const byPrice = prices.toSorted((a, b) => a.price - b.price);
  const at = (price: UploadedPrice | undefined): string =>
    price === undefined ? '' : `${formatPrice(price.price)} at ${formatInstant(clock, price.startsAt)}`;
  const [first, last] = [prices[0], prices.at(-1)].map((each) => each?.startsAt ?? new Date(0));
  const added = prices.length - replaced.length - same;
  const largest = replaced.toSorted((a, b) => sizeOf(b) - sizeOf(a))[0];
  const facts = [
    ['Prices', `${formatCount(prices.length)}, ${nameStep(prices)}`],
    [
      'First and last',
      first && last ? `${formatInstant(clock, first)} and ${formatInstant(clock, last)}` : '',
    ],
    ['New', formatCount(added)],
    [
      'Replaced',
      largest === undefined
        ? 'None'
        : `${formatCount(replaced.length)}, the most at ${formatInstant(clock, largest.price.startsAt)}: ${largest.stored.price.toFixed(2)} → ${largest.price.price.toFixed(2)}`,
    ],
    ['Stored already, the same', formatCount(same)],
    ['Lowest', at(byPrice[0])],
    ['Highest', at(byPrice.at(-1))],
    ['Without a price', tellGaps(gaps, clock)],
    ['Duplicates', 'None'],
    ['Over already', past === 0 ? 'None' : `${formatCount(past)}: they correct the past, and no plan`],
  ] as const;
  return facts.filter(([, text]) => text !== '');
}

function sizeOf({ stored, price }: PriceCheck['replaced'][number]): number {
  return Math.abs(price.price - stored.price);
}

function nameStep(prices: readonly UploadedPrice[]): string {
  const isHourly = (price: UploadedPrice): boolean => price.startsAt.getTime() % HOUR_MS === 0;
  const steps = new Set(
    prices
      .slice(1)
      .map(({ startsAt }, index) => startsAt.getTime() - (prices[index]?.startsAt.getTime() ?? 0)),
  );
  if (prices.every(isHourly)) return 'hourly';
  return steps.has(HOUR_MS) ? 'hourly and quarter-hourly' : 'quarter-hourly';
}

function tellGaps({ first, count }: PriceGaps, clock: LocalClock): string {
  if (count === 0) return 'None';
  const told = first.map(
    (gap) => `${formatSpan(clock, gap)} (${formatDuration(gap.to.getTime() - gap.from.getTime())})`,
  );
  const more = count - told.length;
  return [...told, ...(more > 0 ? [countOf(more, 'more gap')] : [])].join('; ');
}

const MOST_ROWS = 25;

/** What would be replaced, the first ones. */
export function tabulateReplaced({ replaced }: PriceCheck, clock: LocalClock) {
  return {
    columns: [
      { label: 'From', kind: 'wide' },
      { label: 'Stored, EUR/MWh', kind: 'number' },
      { label: 'In its place', kind: 'number' },
    ],
    rows: replaced
      .slice(0, MOST_ROWS)
      .map(({ stored, price }) => [
        { text: formatInstant(clock, price.startsAt) },
        { text: stored.price.toFixed(2) },
        { text: price.price.toFixed(2) },
      ]),
    hidden: Math.max(0, replaced.length - MOST_ROWS),
  };
}

/** Days that are drawn. */
const MOST_HOURS = 8 * 24;

/** Whether what is in force in the time of an upload is looked at too. */
export function isDrawn(prices: readonly UploadedPrice[]): boolean {
  const { from, to } = spanOf(prices);
  return to.getTime() - from.getTime() <= MOST_HOURS * HOUR_MS;
}

/** The curve as it is in force and as it would be; undefined for a time that is too long to be looked at. */
export function chartCheck(
  { prices }: PriceCheck,
  inForce: readonly ListedPrice[],
  clock: LocalClock,
): DayChart | undefined {
  if (!isDrawn(prices)) return undefined;
  const { from, to } = spanOf(prices);
  const starts = listQuarters({ from, to });
  const known = new Map(inForce.map(({ timestamp, price }) => [Date.parse(timestamp), price]));
  const before = fillHours(known, starts);
  for (const { startsAt, price } of prices) known.set(startsAt.getTime(), price);
  const values = fillHours(known, starts);
  const line = (label: string, token: string, of: typeof values) =>
    toLine({ label, token, values: of, format: formatPrice });
  return {
    times: [...starts, to].map((instant) => instant.getTime() / 1_000),
    clocks: [...starts, to].map((instant) => formatInstant(clock, instant)),
    zone: clock.zone,
    known: starts.length,
    at: 0,
    panels: [
      {
        name: 'Price',
        unit: 'EUR/MWh',
        height: 'tall',
        above: [],
        below: [],
        lines: [line('Once they are stored', 'text', values), line('Stored now', 'load-edge', before)],
      },
    ],
  };
}

/** The price in force in each quarter hour: the latest that began less than an hour before its end. */
function fillHours(
  byStart: ReadonlyMap<number, number>,
  starts: readonly Date[],
): readonly (number | null)[] {
  return starts.map((start) => {
    for (let at = start.getTime(); at > start.getTime() - HOUR_MS; at -= QUARTER_HOUR_MS) {
      const price = byStart.get(at);
      if (price !== undefined) return price;
    }
    return null;
  });
}
