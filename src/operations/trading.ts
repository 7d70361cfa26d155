import type { components } from '../../generated/openapi.ts';
import { checkPriceQuotas } from '../accounts/quotas.ts';
import { INLINE_BODY_BYTES } from '../compute/inline.ts';
import type { JobOutput } from '../compute/jobs.ts';
import { readPriceUpload } from '../compute/price-upload.ts';
import { countBytes } from '../contract/body-pieces.ts';
import type { BytesHandler, BytesRequest, Handler } from '../contract/handlers.ts';
import { effectiveFrom } from '../domain/api/quarter-hours.ts';
import { listBatchedPrices } from '../domain/prices/price-batches.ts';
import type { PriceComparison, StoredBefore } from '../domain/prices/price-comparison.ts';
import { isPricePast } from '../domain/prices/prices.ts';
import { parseInstantRange } from '../domain/api/instant-range.ts';
import {
  countNewPrices,
  insertPriceRevisions,
  listStoredBefore,
} from '../queries/prices/day-ahead-prices.ts';
import { findPriceGaps } from '../queries/prices/price-gaps.ts';
import { listPricePage } from '../queries/prices/price-pages.ts';
import type { ListedPrice, PriceOwners, PricePage } from '../queries/prices/price-pages.ts';
import { findPriceSources } from '../queries/prices/price-revisions.ts';
import { lockPartner } from '../queries/accounts/quotas.ts';
import { quotaScope } from './context.ts';
import type { Context } from './context.ts';
import { runHeavyJob } from './heavy-jobs.ts';
import { writeInPieces } from './write-in-pieces.ts';

type PriceOfList = components['schemas']['DayAheadPrice'];
type UploadState = 'success' | 'existing' | 'late' | 'empty';

const MAX_LIST_DAYS = 366;

export const uploadDayAheadPrices: BytesHandler<Context, 'uploadDayAheadPrices'> = async (
  context,
  request,
) => {
  const { state, receivedAt } = await store(context, await readUpload(context, request));
  if (state === 'success') context.announceChange([context.orgId]);
  return {
    status: 200,
    body: { state, next_load_curve_calculation: effectiveFrom(receivedAt).toISOString(), error: '' },
  };
};

/**
 * What an upload would do, and nothing is stored. As much is read as the upload has prices, whatever time it spans.
 * @throws Problem malformed_json or validation_failed, as uploadDayAheadPrices.
 */
export async function compareDayAheadPrices(
  context: Context,
  request: BytesRequest,
): Promise<PriceComparison> {
  const { db, orgId } = context;
  const { batches } = await readUpload(context, request);
  const stored: StoredBefore[] = [];
  for (const batch of batches) stored.push(...(await listStoredBefore(db, orgId, batch)));
  const startsAtMs = batches.map((batch) => batch.startsAtMs).join(',');
  const gaps = await findPriceGaps(db, orgId, startsAtMs);
  return { prices: listBatchedPrices(batches), stored, gaps };
}

async function readUpload(
  context: Context,
  { pieces, errors, hasTurn }: BytesRequest,
): Promise<JobOutput<'readPriceUpload'>> {
  const input = { pieces, errors };
  return countBytes(pieces) <= INLINE_BODY_BYTES
    ? readPriceUpload(input)
    : runHeavyJob(context, hasTurn, 'readPriceUpload', input);
}

/**
 * `GET /trading/dayahead/prices`: a list of one page is answered as it is, a longer one as a stream. Answers 422 for a range
 * that is none or longer than 366 days.
 */
export const listDayAheadPrices: Handler<Context, 'listDayAheadPrices'> = async (context, { query }) => {
  const range = parseInstantRange(['from_dt', query.from_dt], ['to_dt', query.to_dt], MAX_LIST_DAYS);
  const { db, orgId } = context;
  const { parent } = await findPriceSources(db, orgId);
  const owners = { orgId, parentId: parent?.orgId ?? null };
  const first = await listPricePage(db, owners, range);
  const data =
    first.next === undefined ? first.prices.map(toEntry) : streamPrices(context, owners, first, range.to);
  return { status: 200, body: { data } };
};

/** Page by page, so that no other request waits for a year of prices, and no connection is held while a client reads. */
async function* streamPrices(
  { db }: Context,
  owners: PriceOwners,
  first: PricePage,
  to: Date,
): AsyncIterable<PriceOfList> {
  let page = first;
  for (;;) {
    for (const price of page.prices) yield toEntry(price);
    if (page.next === undefined) return;
    page = await listPricePage(db, owners, { from: page.next, to });
  }
}

/** What is stored already is `existing` even when it is late, so that a repeated upload is told that it arrived. */
async function store(
  context: Context,
  { batches, lastStartsAt }: JobOutput<'readPriceUpload'>,
): Promise<{ readonly state: UploadState; readonly receivedAt: Date }> {
  const { db, orgId, now } = context;
  if (lastStartsAt === null) return { state: 'empty', receivedAt: now };
  const isLate = isPricePast(lastStartsAt, now);
  return db.transaction().execute(async (tx) => {
    // One upload of a partner after the other, so that each compares with what is stored and with what others add.
    await lockPartner(tx, context.actor.partnerId);
    const receivedAt = context.clock();
    let [changed, newQuarters, mostRevisions] = [0, 0, 0];
    await writeInPieces(batches, async (batch) => {
      if (isLate) {
        changed += await countNewPrices(tx, orgId, batch);
        return false;
      }
      const stored = await insertPriceRevisions(tx, orgId, batch, receivedAt);
      changed += stored.count;
      newQuarters += stored.newQuarters;
      mostRevisions = Math.max(mostRevisions, stored.mostRevisions);
      return stored.count > 0;
    });
    if (changed === 0) return { state: 'existing', receivedAt };
    if (isLate) return { state: 'late', receivedAt };
    await checkPriceQuotas(tx, quotaScope(context), { newQuarters, mostRevisions });
    return { state: 'success', receivedAt };
  });
}

function toEntry(price: ListedPrice): PriceOfList {
  return {
    timestamp: price.startsAt.toISOString(),
    price: price.price,
    best_bid: [...price.bestBid],
    best_ask: [...price.bestAsk],
    origin: price.origin,
    received_at: price.receivedAt.toISOString(),
    valid_from: price.validFrom.toISOString(),
    valid_until: price.validUntil.toISOString(),
    replaced: [...price.replaced],
  };
}
