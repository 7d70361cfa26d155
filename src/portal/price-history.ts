import { QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import { findPriceValidity } from '../domain/prices/price-validity.ts';
import type { PriceOrigin } from '../domain/prices/prices.ts';
import type { ListedPrice } from './price-list.ts';

/** A price that came in, ms since 1970; it may have been replaced since. */
export interface PriceRevision {
  readonly origin: PriceOrigin;
  readonly startMs: number;
  readonly receivedMs: number;
  /** EUR/MWh. */
  readonly price: number;
  /** What it replaced. */
  readonly before: number | undefined;
}

/** Everything that the list of an organization's own prices tells of what came in. */
export function listRevisions(prices: readonly ListedPrice[], origin: PriceOrigin): readonly PriceRevision[] {
  return prices
    .filter((price) => price.origin === 'own')
    .flatMap(({ timestamp, price, received_at: receivedAt, replaced }) => {
      const values = [{ price, received_at: receivedAt }, ...replaced];
      return values.map((value, index) => ({
        origin,
        startMs: Date.parse(timestamp),
        receivedMs: Date.parse(value.received_at),
        price: value.price,
        before: values[index + 1]?.price,
      }));
    });
}

/** What came in together. */
export interface Arrival {
  readonly receivedMs: number;
  readonly origin: PriceOrigin;
  readonly revisions: readonly PriceRevision[];
}

/** Revisions by their arrival, the latest first. */
export function listArrivals(revisions: readonly PriceRevision[]): readonly Arrival[] {
  const byArrival = Map.groupBy(revisions, ({ receivedMs, origin }) => `${receivedMs} ${origin}`);
  return [...byArrival.values()]
    .map((together) => ({
      receivedMs: together[0]?.receivedMs ?? 0,
      origin: together[0]?.origin ?? 'own',
      revisions: together.toSorted((a, b) => a.startMs - b.startMs),
    }))
    .toSorted((a, b) => b.receivedMs - a.receivedMs);
}

/** The price that was in force in each quarter hour by what had come in up to an instant, ms since 1970; null without one. */
export function findKnownThen(
  revisions: readonly PriceRevision[],
  thenMs: number,
  starts: readonly Date[],
): readonly (number | null)[] {
  const known = new Map<string, PriceRevision>();
  for (const revision of revisions) {
    const key = `${revision.origin} ${revision.startMs}`;
    const other = known.get(key);
    const isLater = other === undefined || other.receivedMs < revision.receivedMs;
    if (revision.receivedMs <= thenMs && isLater) known.set(key, revision);
  }
  const latest = [...known.values()];
  const startsOf = (origin: PriceOrigin): ReadonlySet<number> =>
    new Set(latest.filter((each) => each.origin === origin).map(({ startMs }) => startMs));
  const byOrigin = { own: startsOf('own'), parent: startsOf('parent') };
  const prices = new Map<number, number>();
  for (const { startMs, origin, price } of latest) {
    const validity = findPriceValidity(startMs, origin, byOrigin);
    for (let at = validity?.fromMs ?? 0; at < (validity?.untilMs ?? 0); at += QUARTER_HOUR_MS)
      prices.set(at, price);
  }
  return starts.map((start) => prices.get(start.getTime()) ?? null);
}
