import type { InstantRange } from '../domain/api/instant-range.ts';
import { NO_PRICE_REVISIONS } from '../domain/prices/price-revisions.ts';
import type { PriceRevisions } from '../domain/prices/price-revisions.ts';
import type { Db } from '../queries/connection/database.ts';
import { findPriceSources, readPriceRevisions } from '../queries/prices/price-revisions.ts';
import type { PriceSources } from '../queries/prices/price-revisions.ts';
import type { KnownPrices } from '../simulation/devices/price-book.ts';

/** An organization with prices, and how many uploads have brought them; null when none has. */
export interface PriceSource {
  readonly orgId: string;
  readonly uploads: number | null;
}

interface ChosenSources {
  readonly own: PriceSource;
  readonly inherited: { readonly source: PriceSource; readonly untilMs: number } | null;
}

/** Whose prices an organization knows: a simulation organization knew its parent's until the first of its own came in. */
export function chooseSources(
  orgId: string,
  { parentId, firstReceivedAt, uploads, parentUploads }: PriceSources,
): ChosenSources {
  const own = { orgId, uploads };
  if (parentId === null) return { own, inherited: null };
  const parent = { orgId: parentId, uploads: parentUploads };
  if (firstReceivedAt === null) return { own: parent, inherited: null };
  return { own, inherited: { source: parent, untilMs: firstReceivedAt.getTime() } };
}

/** The prices that begin in a span as an organization knew them at any time. */
export async function loadKnownPrices(db: Db, orgId: string, span: InstantRange): Promise<KnownPrices> {
  const { own, inherited } = chooseSources(orgId, await findPriceSources(db, orgId));
  const read = async (source: PriceSource): Promise<PriceRevisions> =>
    source.uploads === null ? NO_PRICE_REVISIONS : readPriceRevisions(db, source.orgId, span);
  return {
    own: await read(own),
    inherited: inherited && { revisions: await read(inherited.source), untilMs: inherited.untilMs },
  };
}
