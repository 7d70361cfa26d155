/** Day-ahead prices as a schedule sees them: at each instant only those that had arrived (docs/simulation.md#schedules). */
import { PRICE_VALIDITY_MS } from '../../domain/prices/prices.ts';
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
  /** Price in force in the quarter that starts at `startMs`, as known at `knownAtMs`; null when there is none. */
  priceAt(startMs: number, knownAtMs: number): number | null;
  /** Number of entries known at an instant; what is derived from prices changes only with it. */
  revisionAt(knownAtMs: number): number;
}

/**
 * Revisions of prices as numbers, three for each: start of delivery and arrival in ms since 1970, price in EUR/MWh; by start,
 * then by arrival. In shared memory they reach another thread without being copied.
 */
export type PriceRevisions = Float64Array;

const NUMBERS_PER_REVISION = 3;

/** Revisions of some entries, which may be in any order. */
export function toPriceRevisions(entries: readonly PriceEntry[]): PriceRevisions {
  const sorted = entries
    .map(({ at, receivedAt, price }) => [at.getTime(), receivedAt.getTime(), price] as const)
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return Float64Array.from(sorted.flat());
}

/** A price book of some entries, in any order. A price holds until the next one, for an hour at most (PRICE_VALIDITY_MS). */
export function createPriceBook(entries: readonly PriceEntry[]): PriceBook {
  return createPriceBookOfRevisions(toPriceRevisions(entries));
}

/** The same of revisions in order; it costs the sorting of their arrivals. */
export function createPriceBookOfRevisions(revisions: PriceRevisions): PriceBook {
  const count = revisions.length / NUMBERS_PER_REVISION;
  const numberOf = (revision: number, field: 0 | 1 | 2): number =>
    revisions[revision * NUMBERS_PER_REVISION + field] ?? NaN;
  const arrivals = new Float64Array(count).map((_, revision) => numberOf(revision, 1)).sort();
  /** The latest revision of a start that was known. */
  const findRevision = (startMs: number, knownAtMs: number): number | undefined => {
    const isBeyond = (revision: number): boolean =>
      numberOf(revision, 0) > startMs ||
      (numberOf(revision, 0) === startMs && numberOf(revision, 1) > knownAtMs);
    const found = findFirst(count, isBeyond) - 1;
    return found >= 0 && numberOf(found, 0) === startMs ? found : undefined;
  };
  return {
    priceAt: (startMs, knownAtMs) => {
      for (let start = startMs; start > startMs - PRICE_VALIDITY_MS; start -= QUARTER_HOUR_MS) {
        const known = findRevision(start, knownAtMs);
        if (known !== undefined) return numberOf(known, 2);
      }
      return null;
    },
    revisionAt: (knownAtMs) => findFirst(count, (arrival) => (arrivals[arrival] ?? NaN) > knownAtMs),
  };
}

/** The first of some numbers from 0 on for which a property holds that all later ones have too; `count` when none has it. */
function findFirst(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  for (let high = count; low < high;) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** What an organization knows of prices: its own revisions and, until the first of them came in, those of its parent. */
export interface KnownPrices {
  readonly own: PriceRevisions;
  readonly inherited: { readonly revisions: PriceRevisions; readonly untilMs: number } | null;
}

/** The price book of what an organization knows. */
export function toPriceBook({ own, inherited }: KnownPrices): PriceBook {
  const book = createPriceBookOfRevisions(own);
  if (inherited === null) return book;
  return joinPriceBooks(createPriceBookOfRevisions(inherited.revisions), inherited.untilMs, book);
}

/** The book `before` for what is known before an instant in ms, and the book `after` from then on. */
export function joinPriceBooks(before: PriceBook, untilMs: number, after: PriceBook): PriceBook {
  const revisionsBefore = before.revisionAt(untilMs) + 1;
  return {
    priceAt: (startMs, knownAtMs) => (knownAtMs < untilMs ? before : after).priceAt(startMs, knownAtMs),
    revisionAt: (knownAtMs) =>
      knownAtMs < untilMs ? before.revisionAt(knownAtMs) : revisionsBefore + after.revisionAt(knownAtMs),
  };
}
