/** Day-ahead prices as a schedule sees them: at each instant only those that had arrived (docs/simulation.md#schedules). */
import {
  findFirst,
  NUMBERS_PER_REVISION,
  PriceRevisionsBuilder,
} from '../../domain/prices/price-revisions.ts';
import type { PriceRevisions } from '../../domain/prices/price-revisions.ts';
import { PRICE_VALIDITY_MS } from '../../domain/prices/prices.ts';
import type { PriceOrigin } from '../../domain/prices/prices.ts';
import { QUARTER_HOUR_MS } from '../../domain/api/durations.ts';

export interface PriceEntry {
  /** Start of delivery. */
  readonly at: Date;
  /** EUR/MWh, may be negative. */
  readonly price: number;
  /** When the entry arrived; a later entry for the same start replaces it from then on. */
  readonly receivedAt: Date;
}

export interface PriceBook {
  /** Price in force in the quarter that starts at `startMs`, as known at `knownAtMs`, EUR/MWh; null when there is none. */
  priceAt(startMs: number, knownAtMs: number): number | null;
  /** Whose price that is; null when there is none. */
  originAt(startMs: number, knownAtMs: number): PriceOrigin | null;
  /** Number of arrivals up to an instant; what is derived from prices changes only with it. */
  revisionAt(knownAtMs: number): number;
}

/** The book of those who know no prices. Known by its identity, which spares asking it. */
export const NO_PRICES: PriceBook = { priceAt: () => null, originAt: () => null, revisionAt: () => 0 };

/** Revisions of some entries, which may be in any order. */
export function toPriceRevisions(entries: readonly PriceEntry[]): PriceRevisions {
  const sorted = entries
    .map(({ at, receivedAt, price }) => [at.getTime(), receivedAt.getTime(), price] as const)
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return new PriceRevisionsBuilder().add(Float64Array.from(sorted.flat())).build();
}

/** A price book of some entries, in any order. A price holds until the next one, for an hour at most (PRICE_VALIDITY_MS). */
export function createPriceBook(entries: readonly PriceEntry[]): PriceBook {
  return createPriceBookOfRevisions(toPriceRevisions(entries));
}

/** The same of revisions in order; it costs nothing before it is asked. */
export function createPriceBookOfRevisions({ numbers, arrivals }: PriceRevisions): PriceBook {
  const count = numbers.length / NUMBERS_PER_REVISION;
  const numberOf = (revision: number, field: 0 | 1 | 2): number =>
    numbers[revision * NUMBERS_PER_REVISION + field] ?? NaN;
  /** The latest revision of a start that was known. */
  const findRevision = (startMs: number, knownAtMs: number): number | undefined => {
    const isBeyond = (revision: number): boolean =>
      numberOf(revision, 0) > startMs ||
      (numberOf(revision, 0) === startMs && numberOf(revision, 1) > knownAtMs);
    const found = findFirst(count, isBeyond) - 1;
    return found >= 0 && numberOf(found, 0) === startMs ? found : undefined;
  };
  const priceAt = (startMs: number, knownAtMs: number): number | null => {
    for (let start = startMs; start > startMs - PRICE_VALIDITY_MS; start -= QUARTER_HOUR_MS) {
      const known = findRevision(start, knownAtMs);
      if (known !== undefined) return numberOf(known, 2);
    }
    return null;
  };
  return {
    priceAt,
    originAt: (startMs, knownAtMs) => (priceAt(startMs, knownAtMs) === null ? null : 'own'),
    revisionAt: (knownAtMs) =>
      findFirst(arrivals.length, (arrival) => (arrivals[arrival] ?? NaN) > knownAtMs),
  };
}

/** What an organization knows of prices: its own revisions, and those of its parent, none where it has no parent. */
export interface KnownPrices {
  readonly own: PriceRevisions;
  readonly parent: PriceRevisions;
}

/** The price book of what an organization knows. */
export function toPriceBook({ own, parent }: KnownPrices): PriceBook {
  const book = createPriceBookOfRevisions(own);
  return parent.numbers.length === 0 ? book : layPriceBooks(book, createPriceBookOfRevisions(parent));
}

/**
 * For each quarter hour the price of `own` that is in force in it, or else that of `parent`. A price holds until the next one
 * of its own book, for an hour at most: an hourly price of `own` holds for its hour whatever quarter hours `parent` has.
 */
export function layPriceBooks(own: PriceBook, parent: PriceBook): PriceBook {
  return {
    priceAt: (startMs, knownAtMs) => own.priceAt(startMs, knownAtMs) ?? parent.priceAt(startMs, knownAtMs),
    originAt: (startMs, knownAtMs) => {
      if (own.priceAt(startMs, knownAtMs) !== null) return 'own';
      return parent.priceAt(startMs, knownAtMs) === null ? null : 'parent';
    },
    revisionAt: (knownAtMs) => own.revisionAt(knownAtMs) + parent.revisionAt(knownAtMs),
  };
}
