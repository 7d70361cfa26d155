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

/** Prices of a batch, which one statement stores, and bids and asks of it: some 100 kB of the database's log either way. */
const PRICES_PER_BATCH = 1_000;
const BIDS_PER_BATCH = 10_000;

/** Prices in batches, in their order. */
export function toPriceBatches(prices: readonly DayAheadPrice[]): PriceBatch[] {
  const batches: PriceBatch[] = [];
  let [first, bids] = [0, 0];
  for (const [index, { bestBid, bestAsk }] of prices.entries()) {
    const added = bestBid.length + bestAsk.length;
    const isFull = index - first === PRICES_PER_BATCH || bids + added > BIDS_PER_BATCH;
    if (isFull && index > first) {
      batches.push(toBatch(prices.slice(first, index)));
      [first, bids] = [index, 0];
    }
    bids += added;
  }
  return prices.length > first ? [...batches, toBatch(prices.slice(first))] : batches;
}

function toBatch(batch: readonly DayAheadPrice[]): PriceBatch {
  return {
    count: batch.length,
    startsAtMs: batch.map(({ startsAt }) => startsAt.getTime()).join(','),
    prices: batch.map(({ price }) => price).join(','),
    bids: batch.map(({ bestBid }) => bestBid.join(',')).join(';'),
    asks: batch.map(({ bestAsk }) => bestAsk.join(',')).join(';'),
  };
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
