import type { PriceOrigin } from '../domain/prices/prices.ts';
import type { ListedPrice } from './price-list.ts';
import type { LocalClock } from './local-days.ts';
import { formatSpan } from './time-spans.ts';
import type { TimeSpan } from './time-spans.ts';
import { formatMinute } from './times.ts';

const NOTHING = '–';

/** What a list of prices says of whose each is; nothing where all are own. */
export function nameOrigin(origin: PriceOrigin): string {
  return origin === 'own' ? 'own' : 'of the partner';
}

/** When a price came in: `2026-11-21 11:58 UTC`. */
export function formatArrival(instant: string | number): string {
  return `${formatMinute(new Date(instant))} UTC`;
}

/** What a price replaced: `83.05 of 2026-11-21 11:40 UTC`, and how many there were before. */
export function tellReplaced({ replaced }: ListedPrice): string {
  const [last, ...earlier] = replaced;
  if (last === undefined) return NOTHING;
  const more = earlier.length === 0 ? '' : `, ${earlier.length} before`;
  return `${last.price.toFixed(2)} of ${formatArrival(last.received_at)}${more}`;
}

/** Bids or asks: the best one, and how many there are; `isBetter` compares two. */
export function tellQuotes(quotes: readonly number[], best: (...quotes: number[]) => number): string {
  if (quotes.length === 0) return NOTHING;
  const text = best(...quotes).toFixed(2);
  return quotes.length === 1 ? text : `${text} (of ${quotes.length})`;
}

interface Listed {
  readonly prices: readonly ListedPrice[];
  readonly gaps: readonly TimeSpan[];
  readonly clock: LocalClock;
  /** Whether prices may be those of another organization. */
  readonly hasOrigins: boolean;
}

/** The prices in force with when they came and what they replaced, and the times without one between them. */
export function tabulatePrices({ prices, gaps, clock, hasOrigins }: Listed) {
  const columns = [
    { label: 'In force', kind: undefined },
    { label: 'EUR/MWh', kind: 'number' },
    ...(hasOrigins ? [{ label: 'Whose' }] : []),
    { label: 'Came' },
    { label: 'Replaced', kind: 'wide' },
    { label: 'Highest bid', kind: 'number' },
    { label: 'Lowest ask', kind: 'number' },
  ];
  const empty = columns.slice(2).map(() => ({ text: '' }));
  const known = prices.map((price) => {
    const from = new Date(price.valid_from);
    return {
      from,
      cells: [
        { text: formatSpan(clock, { from, to: new Date(price.valid_until) }) },
        { text: price.price.toFixed(2) },
        ...(hasOrigins ? [{ text: nameOrigin(price.origin) }] : []),
        { text: formatArrival(price.received_at) },
        { text: tellReplaced(price) },
        { text: tellQuotes(price.best_bid, Math.max) },
        { text: tellQuotes(price.best_ask, Math.min) },
      ],
    };
  });
  const missing = gaps.map((gap) => ({
    from: gap.from,
    cells: [{ text: formatSpan(clock, gap) }, { text: 'no price' }, ...empty],
  }));
  const rows = [...known, ...missing].toSorted((a, b) => a.from.getTime() - b.from.getTime());
  return { columns, rows: rows.map(({ cells }) => cells) };
}
