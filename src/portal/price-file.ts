import { toCsv } from './csv-lines.ts';
import type { PageHandler } from './context.ts';
import { giveWay } from './page-turns.ts';
import { listPricesInForce } from './price-list.ts';
import type { ListedPrice } from './price-list.ts';
import { readAskedView } from './price-scope.ts';
import { getScope } from './shell.ts';

/** The prices of the days that are shown as a file. */
export const sendPriceCsv: PageHandler = async (context, request, response) => {
  const view = await readAskedView(context, request, response, context.clock());
  const prices = await listPricesInForce(context, response, getScope(response).orgId, view);
  const parts = [toCsv([CSV_COLUMNS])];
  for (let first = 0; first < prices.length; first += WRITTEN_AT_ONCE) {
    await giveWay(context, response);
    parts.push(toCsv(prices.slice(first, first + WRITTEN_AT_ONCE).map(toLine)));
  }
  response.attachment(`prices-${view.date}.csv`).type('text/csv').send(parts.join(''));
};

/** Prices behind which others may have their turn: a millisecond of the event loop, with many bids. */
const WRITTEN_AT_ONCE = 200;

function toLine(price: ListedPrice): readonly (string | number | null)[] {
  const [last] = price.replaced;
  return [
    price.timestamp,
    price.price,
    price.best_bid.join(' '),
    price.best_ask.join(' '),
    price.origin,
    price.received_at,
    price.valid_from,
    price.valid_until,
    last?.price ?? null,
    last?.received_at ?? null,
  ];
}

const CSV_COLUMNS = [
  'timestamp',
  'price',
  'best_bid',
  'best_ask',
  'origin',
  'received_at',
  'valid_from',
  'valid_until',
  'replaced_price',
  'replaced_received_at',
];
