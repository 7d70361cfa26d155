import { QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import { findPriceValidity } from '../domain/prices/price-validity.ts';
import { PRICE_VALIDITY_MS } from '../domain/prices/prices.ts';
import type { PriceOrigin } from '../domain/prices/prices.ts';
import type { ListedPrice } from './price-list.ts';

/** A price that came in, ms since 1970; it may have been replaced since. */
export interface PriceRevision {
  readonly origin: PriceOrigin;
  readonly startMs: number;
  readonly receivedMs: number;
  /** EUR/MWh. */
  readonly price: number;
  /** What it replaced: the price of the same instant, or what counted there until it came. */
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

/** The same, and of those that are the first of their instant what counted there before: a price that began up to an hour earlier. */
export function addCountedBefore(revisions: readonly PriceRevision[]): readonly PriceRevision[] {
  const byStart = Map.groupBy(revisions, ({ origin, startMs }) => `${origin} ${startMs}`);
  const findBefore = ({ receivedMs }: PriceRevision, origin: PriceOrigin, startMs: number) =>
    byStart
      .get(`${origin} ${startMs}`)
      ?.filter((each) => each.receivedMs < receivedMs)
      .toSorted((a, b) => b.receivedMs - a.receivedMs)[0];
  return revisions.map((revision) => {
    if (revision.before !== undefined) return revision;
    // A price of the partner that comes where an own one counts changes nothing there.
    const origins = revision.origin === 'own' ? (['own', 'parent'] as const) : (['parent'] as const);
    const counted = origins
      .flatMap((origin) => STEPS.map((step) => findBefore(revision, origin, revision.startMs - step)))
      .find((each) => each !== undefined);
    return { ...revision, before: counted?.price };
  });
}

/** How long ago a price may have begun that is in force, the latest first. */
const STEPS = Array.from(
  { length: PRICE_VALIDITY_MS / QUARTER_HOUR_MS },
  (_, quarter) => quarter * QUARTER_HOUR_MS,
);
