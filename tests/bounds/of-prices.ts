// What is read and stored of prices that people and programs upload.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const PRICE_TEXT = 'src/compute/price-text.ts';
const priceText = testsOf('tests/compute/price-text.test.ts');
const pieces = testsOf('tests/operations/write-in-pieces.test.ts');
const HISTORY = 'src/households/history-revisions.ts';
const revisions = testsOf('tests/domain/prices/price-revisions.test.ts');
const large = testsOf('tests/households/large-prices.test.ts');

export const boundsOfPrices: readonly Bound[] = [
  bound(
    'steps of a page of prices',
    [
      replace(
        'src/portal/page-turns.ts',
        'return context.yieldToEventLoop(0, getSession(response).partnerId);',
        'return Promise.resolve();',
      ),
    ],
    testsOf('tests/portal/page-turns.test.ts')('gives way to others while it is read and made'),
  ),
  bound(
    'parts of a long form that are read in one turn',
    [replace('src/portal/form-parts.ts', '    await setImmediate();\n', '')],
    testsOf('tests/portal/form-parts.test.ts')('others have their turn behind each part'),
  ),
  bound(
    'fields of a long form',
    [replace('src/portal/form-parts.ts', 'fields: MOST_PARTS,', 'fields: 1_000_000,')],
    testsOf('tests/portal/form-parts.test.ts')('a form of more than twenty fields is damaged'),
  ),
  bound(
    'text of prices that is read in the event loop',
    [
      replace(
        'src/operations/price-text.ts',
        'input.text.length <= INLINE_BODY_BYTES',
        'input.text.length <= Infinity',
      ),
    ],
    testsOf('tests/operations/price-text.test.ts')('a text is read', 'on a thread'),
  ),
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
    'revisions of prices that a statement looks through',
    [
      replace(
        'src/queries/prices/price-revisions.ts',
        'const REVISIONS_PER_PAGE = 10_000;',
        'const REVISIONS_PER_PAGE = 1_000_000_000;',
      ),
    ],
    testsOf('tests/queries/prices/price-revisions.test.ts')(
      'no statement looks through more than 10,000 revisions',
    ),
  ),
  bound(
    'revisions of prices that are put together at once',
    [
      replace(
        'src/domain/prices/price-revisions.ts',
        'const NUMBERS_PER_PIECE = 32_768;',
        'const NUMBERS_PER_PIECE = 1_000_000_000;',
      ),
    ],
    revisions('no more than a piece is copied between two pauses'),
    revisions('arrivals are merged with pauses'),
    large('what an upload changes of prices is put together in pieces'),
    large('what is read first is put together in pieces'),
  ),
  bound(
    'steps in which arrivals of prices are merged',
    [
      replace(
        'src/domain/prices/price-revisions.ts',
        'while (left.length > 1) {',
        'while (left.length > 2) {\n    left = [yield* mergeOnce(left[0] ?? NO_NUMBERS, left[1] ?? NO_NUMBERS), ...left.slice(2)];\n  }\n  while (left.length > 1) {',
      ),
    ],
    revisions('arrivals are merged with pauses'),
  ),
  bound(
    'pauses while prices that were read are put together',
    [
      replace(
        'src/queries/prices/price-revisions.ts',
        'return revisions.buildInPieces(pause);',
        'return (void pause, revisions.build());',
      ),
    ],
    large('what is read first is put together in pieces'),
  ),
  bound(
    'pauses while what an upload changed is put together with what was kept',
    [replace(HISTORY, 'await joined.buildInPieces(pause)', '(void pause, joined.build())')],
    large('what an upload changes of prices is put together in pieces'),
  ),
  bound(
    'reads of prices that are larger than the part of a partner',
    [replace(HISTORY, ' ?? largeByOrganization.find(orgId);', ';')],
    large('what is larger than the part of a partner is read once'),
    large('of what is larger than the part of a partner 72 MB are kept'),
  ),
  bound(
    'bytes of prices that are larger than the part of a partner',
    [
      replace(
        HISTORY,
        'const MOST_LARGE_BYTES = 72 * 1_048_576;',
        'const MOST_LARGE_BYTES = 1_024 * 1_048_576;',
      ),
    ],
    large('of what is larger than the part of a partner 72 MB are kept'),
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
