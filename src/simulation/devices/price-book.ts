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

/** A price book of some entries, in any order. A price holds until the next one, for an hour at most (PRICE_VALIDITY_MS). */
export function createPriceBook(entries: readonly PriceEntry[]): PriceBook {
  const arrivals = entries.map((entry) => entry.receivedAt.getTime()).sort((a, b) => a - b);
  const byStart = new Map<number, PriceEntry[]>();
  for (const entry of [...entries].sort((a, b) => a.receivedAt.getTime() - b.receivedAt.getTime())) {
    const start = entry.at.getTime();
    byStart.set(start, [...(byStart.get(start) ?? []), entry]);
  }
  return {
    priceAt: (startMs, knownAtMs) => {
      for (let start = startMs; start > startMs - PRICE_VALIDITY_MS; start -= QUARTER_HOUR_MS) {
        const known = byStart.get(start)?.findLast((entry) => entry.receivedAt.getTime() <= knownAtMs);
        if (known) return known.price;
      }
      return null;
    },
    revisionAt: (knownAtMs) => {
      let low = 0;
      for (let high = arrivals.length; low < high;) {
        const middle = (low + high) >> 1;
        if ((arrivals[middle] ?? 0) <= knownAtMs) low = middle + 1;
        else high = middle;
      }
      return low;
    },
  };
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
