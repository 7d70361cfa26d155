import { toCsv } from './csv-lines.ts';
import type { PageHandler } from './context.ts';
import { giveWay } from './page-turns.ts';
import { listPricesInForce } from './price-list.ts';
import { readAskedView } from './price-scope.ts';
import { getScope } from './shell.ts';

/** The prices of the days that are shown as a file. */
export const sendPriceCsv: PageHandler = async (context, request, response) => {
  const view = await readAskedView(context, request, response, context.clock());
  const prices = await listPricesInForce(context, response, getScope(response).orgId, view);
  await giveWay(context, response);
  const lines = prices.map((price) => {
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
  });
  response
    .attachment(`prices-${view.date}.csv`)
    .type('text/csv')
    .send(toCsv([CSV_COLUMNS, ...lines]));
};

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
