/** The prices that a heat pump goes by: in each quarter hour those that had come in before it. */
import { QUARTER_HOUR_MS } from '../../domain/api/durations.ts';
import type { PriceBook } from '../control/price-book.ts';
import { knownAtMs } from '../control/steering.ts';
import type { Steering } from '../control/steering.ts';

/** A price holds for an hour unless another one follows it: where one is known, one of so many quarter hours has one. */
const SAMPLED = 4;

export class PlannedPrices {
  readonly #steering: Steering;
  readonly #book: PriceBook;

  constructor(steering: Steering) {
    this.#steering = steering;
    this.#book = steering.prices;
  }

  /** A number that changes whenever prices come in before a quarter hour; 0 before the first. */
  revisionAt(quarter: number): number {
    return this.#book.revisionAt(knownAtMs(this.#steering, quarter));
  }

  /** Whether any price that is known at the end of a span holds in it. */
  areIn(first: number, end: number): boolean {
    if (this.revisionAt(end) === 0) return false;
    const knownAt = knownAtMs(this.#steering, end);
    for (let quarter = first; quarter < end; quarter += SAMPLED) {
      if (this.#book.priceAt(quarter * QUARTER_HOUR_MS, knownAt) !== null) return true;
    }
    return this.#book.priceAt((end - 1) * QUARTER_HOUR_MS, knownAt) !== null;
  }

  /**
   * Writes the prices known in quarter hour `known` from then on into `prices`, from index `at`, up to the first that is not
   * known and not beyond `end`; returns that quarter hour.
   */
  fill(known: number, end: number, prices: Float64Array, at: number): number {
    const knownAt = knownAtMs(this.#steering, known);
    for (let quarter = known; quarter < end; quarter++) {
      const price = this.#book.priceAt(quarter * QUARTER_HOUR_MS, knownAt);
      if (price === null) return quarter;
      prices[at + quarter - known] = price;
    }
    return end;
  }
}
