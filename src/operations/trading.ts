import type { components } from '../../generated/openapi.ts';
import type { Handler } from '../contract/handlers.ts';
import { areAllPricesPast, nextQuarterHour, parsePriceEntries } from '../domain/prices/prices.ts';
import { createZoneOffsetLookup } from '../domain/prices/zone-offsets.ts';
import type { DayAheadPrice } from '../domain/prices/prices.ts';
import { validationProblem } from '../domain/api/problem.ts';
import type { FieldError } from '../domain/api/problem.ts';
import { parseInstantRange } from '../domain/api/instant-range.ts';
import {
  countNewPrices,
  insertPriceRevisions,
  listPrices,
  lockPricesOfOrganization,
} from '../queries/prices/day-ahead-prices.ts';
import type { Context } from './context.ts';

type Upload = components['schemas']['DayAheadPriceUpload'];
type UploadState = 'success' | 'existing' | 'late' | 'empty';

const MAX_LIST_DAYS = 366;

export const uploadDayAheadPrices: Handler<Context, 'uploadDayAheadPrices'> = async (context, { body }) => {
  const state = await store(context, readUpload(body));
  return {
    status: 200,
    body: { state, next_load_curve_calculation: nextQuarterHour(context.now).toISOString(), error: '' },
  };
};

export const listDayAheadPrices: Handler<Context, 'listDayAheadPrices'> = async (context, { query }) => {
  const range = parseInstantRange(['from_dt', query.from_dt], ['to_dt', query.to_dt], MAX_LIST_DAYS);
  const prices = await listPrices(context.db, context.orgId, range);
  return { status: 200, body: { data: prices.map(toEntry) } };
};

function readUpload(body: Upload): readonly DayAheadPrice[] {
  const zone = body.metadata?.timezone_override;
  const offsetAt = zone === undefined ? undefined : createZoneOffsetLookup(zone);
  const errors: FieldError[] = [];
  if (zone !== undefined && offsetAt === undefined) {
    errors.push({
      pointer: '/metadata/timezone_override',
      code: 'time_zone_unknown',
      detail: 'Must be the name of an IANA time zone, such as Europe/Vienna.',
    });
  }
  const reading = parsePriceEntries(body.data, offsetAt);
  errors.push(...reading.errors);
  if (errors.length > 0) throw validationProblem(errors);
  return reading.prices;
}

/** What is stored already is `existing` even when it is late, so that a repeated upload is told that it arrived. */
async function store({ db, orgId, now }: Context, prices: readonly DayAheadPrice[]): Promise<UploadState> {
  if (prices.length === 0) return 'empty';
  return db.transaction().execute(async (tx) => {
    await lockPricesOfOrganization(tx, orgId);
    if (areAllPricesPast(prices, now))
      return (await countNewPrices(tx, orgId, prices)) === 0 ? 'existing' : 'late';
    return (await insertPriceRevisions(tx, orgId, prices, now)) === 0 ? 'existing' : 'success';
  });
}

function toEntry(price: DayAheadPrice): components['schemas']['DayAheadPrice'] {
  return {
    timestamp: price.startsAt.toISOString(),
    price: price.price,
    best_bid: [...price.bestBid],
    best_ask: [...price.bestAsk],
  };
}
