// Own prices over a parent's, hourly and quarter-hourly ones mixed, as they were known at each instant.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOUR_MS, QUARTER_HOUR_MS } from '../../../src/domain/api/durations.ts';
import { createPriceBook, layPriceBooks } from '../../../src/simulation/control/price-book.ts';
import type { PriceBook, PriceEntry } from '../../../src/simulation/control/price-book.ts';

const START = Date.parse('2026-01-11T00:00:00Z');
const QUARTERS = 24;

/** An upload of hourly or quarter-hourly prices, all of which arrive at once. */
const upload = fc
  .record({
    from: fc.nat(QUARTERS - 1),
    step: fc.constantFrom(1, 2, 4),
    prices: fc.array(fc.integer({ min: -10_000, max: 10_000 }), { minLength: 1, maxLength: 8 }),
    arrival: fc.nat(9),
  })
  .map(({ from, step, prices, arrival }): PriceEntry[] =>
    prices.map((price, i) => ({
      at: new Date(START + (from + i * step) * QUARTER_HOUR_MS),
      price,
      receivedAt: new Date(START + arrival * HOUR_MS),
    })),
  );
// Two uploads that arrive in the same millisecond have an order in the database, which this list has not: one a millisecond.
const uploads = fc
  .uniqueArray(upload, { maxLength: 5, selector: ([first]) => first?.receivedAt.getTime() })
  .map((each) => each.flat());
const asked = fc.record({
  startMs: fc.integer({ min: -4, max: QUARTERS + 40 }).map((quarter) => START + quarter * QUARTER_HOUR_MS),
  knownAtMs: fc.integer({ min: -1, max: 20 }).map((halfHour) => START + (halfHour * HOUR_MS) / 2),
});

const layered = (own: readonly PriceEntry[], parent: readonly PriceEntry[]): PriceBook =>
  layPriceBooks(createPriceBook(own), createPriceBook(parent));

/** The same in words: of the entries that were known the last start of the hour behind a quarter, its last arrival. */
function priceInForce(entries: readonly PriceEntry[], startMs: number, knownAtMs: number): number | null {
  const holding = entries
    .filter(({ receivedAt }) => receivedAt.getTime() <= knownAtMs)
    .filter(({ at }) => at.getTime() <= startMs && at.getTime() > startMs - HOUR_MS)
    .toSorted((a, b) => a.at.getTime() - b.at.getTime() || a.receivedAt.getTime() - b.receivedAt.getTime());
  return holding.at(-1)?.price ?? null;
}

test('a quarter hour has the own price that is in force, or else the parent’s', () => {
  fc.assert(
    fc.property(uploads, uploads, asked, (own, parent, { startMs, knownAtMs }) => {
      const book = layered(own, parent);
      const ofOwn = priceInForce(own, startMs, knownAtMs);
      const ofParent = priceInForce(parent, startMs, knownAtMs);
      expect(book.priceAt(startMs, knownAtMs)).toBe(ofOwn ?? ofParent);
      const origin = ofOwn !== null ? 'own' : ofParent !== null ? 'parent' : null;
      expect(book.originAt(startMs, knownAtMs)).toBe(origin);
    }),
  );
});

test('what was known at an instant stays as it was, whatever arrives later', () => {
  fc.assert(
    fc.property(uploads, uploads, asked, (own, parent, { startMs, knownAtMs }) => {
      const inTime = ({ receivedAt }: PriceEntry): boolean => receivedAt.getTime() <= knownAtMs;
      const before = layered(own.filter(inTime), parent.filter(inTime));
      const after = layered(own, parent);
      expect(after.priceAt(startMs, knownAtMs)).toBe(before.priceAt(startMs, knownAtMs));
      expect(after.originAt(startMs, knownAtMs)).toBe(before.originAt(startMs, knownAtMs));
      expect(after.revisionAt(knownAtMs)).toBe(before.revisionAt(knownAtMs));
    }),
  );
});

test('as long as the number of arrivals stays, so does every price', () => {
  fc.assert(
    fc.property(uploads, uploads, asked, asked, (own, parent, { startMs, knownAtMs }, other) => {
      const book = layered(own, parent);
      fc.pre(book.revisionAt(knownAtMs) === book.revisionAt(other.knownAtMs));
      expect(book.priceAt(startMs, knownAtMs)).toBe(book.priceAt(startMs, other.knownAtMs));
    }),
  );
});

test('an own hourly price holds for its hour beside quarter hours of the parent', () => {
  const receivedAt = new Date(START - HOUR_MS);
  const entry = (quarter: number, price: number): PriceEntry => ({
    at: new Date(START + quarter * QUARTER_HOUR_MS),
    price,
    receivedAt,
  });
  const book = layered(
    [entry(4, 70)],
    Array.from({ length: 12 }, (_, quarter) => entry(quarter, quarter)),
  );
  const prices = Array.from({ length: 12 }, (_, q) => book.priceAt(START + q * QUARTER_HOUR_MS, START));
  expect(prices).toEqual([0, 1, 2, 3, 70, 70, 70, 70, 8, 9, 10, 11]);
});
