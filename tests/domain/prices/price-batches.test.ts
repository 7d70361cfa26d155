import { expect, test } from 'vitest';
import { listBatchedPrices, toPriceBatches } from '../../../src/domain/prices/price-batches.ts';

const prices = (count: number, bids: number) =>
  Array.from({ length: count }, (_, index) => ({
    startsAt: new Date(900_000 * index),
    price: index / 4,
    bestBid: Array.from({ length: bids }, (__, bid) => bid),
    bestAsk: [1],
  }));

test.each([
  [0, 0, []],
  [1, 100, [1]],
  [2_500, 0, [1_000, 1_000, 500]],
  [250, 99, [100, 100, 50]],
  [150, 90, [109, 41]],
])('%i prices with %i bids and one ask are stored in pieces of %j', (count, bids, sizes) => {
  const batches = toPriceBatches(prices(count, bids));
  expect(batches.map((batch) => batch.count)).toEqual(sizes);
  expect(listBatchedPrices(batches)).toEqual(
    prices(count, bids).map(({ startsAt, price }) => ({ startsAt, price })),
  );
});
