import type { InstantRange } from '../domain/api/instant-range.ts';
import { NO_PRICE_REVISIONS } from '../domain/prices/price-revisions.ts';
import type { PriceRevisions } from '../domain/prices/price-revisions.ts';
import type { Db } from '../queries/connection/database.ts';
import { findPriceSources, readPriceRevisions } from '../queries/prices/price-revisions.ts';
import type { PriceSource } from '../queries/prices/price-revisions.ts';
import type { KnownPrices } from '../simulation/control/price-book.ts';
import { yieldToEventLoop } from './time-slicer.ts';

/** The prices that begin in a span as an organization knew them at any time, its own and its parent's. */
export async function loadKnownPrices(db: Db, orgId: string, span: InstantRange): Promise<KnownPrices> {
  const { own, parent } = await findPriceSources(db, orgId);
  const pause = () => yieldToEventLoop(0, parent?.orgId ?? orgId);
  const read = async (source: PriceSource | null): Promise<PriceRevisions> =>
    source === null || source.uploads === null
      ? NO_PRICE_REVISIONS
      : readPriceRevisions(db, source.orgId, span, pause);
  return { own: await read(own), parent: await read(parent) };
}
