import type { UploadedPrice } from './price-comparison.ts';
import type { DayAheadPrice } from './prices.ts';

/**
 * Some prices as texts that cross threads and reach the database without being looked at again: numbers with commas between
 * them, lists of numbers with semicolons between them.
 */
export interface PriceBatch {
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly startsAtMs: string;
  /** EUR/MWh. */
  readonly prices: string;
  readonly bids: string;
  readonly asks: string;
}

/** Prices that one statement stores: 10,000 at once take the database some 100 ms. */
const PRICES_PER_BATCH = 1_000;

/** Prices in batches, in their order. */
export function toPriceBatches(prices: readonly DayAheadPrice[]): PriceBatch[] {
  return Array.from({ length: Math.ceil(prices.length / PRICES_PER_BATCH) }, (_, index) => {
    const batch = prices.slice(index * PRICES_PER_BATCH, (index + 1) * PRICES_PER_BATCH);
    return {
      count: batch.length,
      startsAtMs: batch.map(({ startsAt }) => startsAt.getTime()).join(','),
      prices: batch.map(({ price }) => price).join(','),
      bids: batch.map(({ bestBid }) => bestBid.join(',')).join(';'),
      asks: batch.map(({ bestAsk }) => bestAsk.join(',')).join(';'),
    };
  });
}

/** The prices of batches without their bids and asks, in their order. */
export function listBatchedPrices(batches: readonly PriceBatch[]): UploadedPrice[] {
  return batches.flatMap(({ startsAtMs, prices }) => {
    const texts = prices.split(',');
    return startsAtMs
      .split(',')
      .map((ms, index) => ({ startsAt: new Date(Number(ms)), price: Number(texts[index]) }));
  });
}
