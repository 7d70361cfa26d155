// What is read and stored of prices that people and programs upload.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const PRICE_TEXT = 'src/compute/price-text.ts';
const priceText = testsOf('tests/compute/price-text.test.ts');
const pieces = testsOf('tests/operations/write-in-pieces.test.ts');

export const boundsOfPrices: readonly Bound[] = [
  bound(
    'lines of a form for prices',
    [replace(PRICE_TEXT, 'const MOST_LINES = 10_002;', 'const MOST_LINES = 1_000_000_000;')],
    priceText('one line more than the API takes'),
  ),
  bound(
    'columns of a line of prices',
    [replace(PRICE_TEXT, 'const MOST_COLUMNS = 100;', 'const MOST_COLUMNS = 1_000_000_000;')],
    priceText('one bid more than the API takes'),
  ),
  bound(
    'bids of a line of prices',
    [replace(PRICE_TEXT, 'const MOST_LISTED = 101;', 'const MOST_LISTED = 1_000_000_000;')],
    priceText('one bid more than the API takes'),
  ),
  bound(
    'bids that one statement stores',
    [
      replace(
        'src/domain/prices/price-batches.ts',
        'const BIDS_PER_BATCH = 10_000;',
        'const BIDS_PER_BATCH = 1_000_000_000;',
      ),
    ],
    testsOf('tests/domain/prices/price-batches.test.ts')('are stored in pieces of', '99 bids'),
  ),
  bound(
    'pauses of an upload in which others commit',
    [
      replace(
        'src/operations/write-in-pieces.ts',
        'if (hasWritten && index < pieces.length - 1) await pause();',
        'if (hasWritten && index < 0) await pause();',
      ),
    ],
    pieces('a pause behind each that wrote something'),
    pieces('a pause is long enough for others to commit'),
  ),
];
