import {
  findFirstPriceReceivedAt,
  findParentOrganizationId,
  readPriceRevisions,
} from '../queries/prices/day-ahead-prices.ts';
import type { Db } from '../queries/connection/database.ts';
import type { KnownPrices } from '../simulation/devices/price-book.ts';

interface Span {
  readonly from: Date;
  readonly to: Date;
}

/**
 * The prices that begin in a span as an organization knew them at any time: a simulation organization knew its
 * parent's until the first of its own came in. With `lateMs` without those that came in later after their beginning.
 */
export async function loadKnownPrices(
  db: Db,
  orgId: string,
  span: Span,
  lateMs?: number,
): Promise<KnownPrices> {
  const revisionsOf = (id: string): Promise<Float64Array> => readPriceRevisions(db, id, span, lateMs);
  const parent = await findParentOrganizationId(db, orgId);
  if (parent === undefined) return { own: await revisionsOf(orgId), inherited: null };
  const ownSince = await findFirstPriceReceivedAt(db, orgId);
  if (ownSince === undefined) return { own: await revisionsOf(parent), inherited: null };
  const inherited = { revisions: await revisionsOf(parent), untilMs: ownSince.getTime() };
  return { own: await revisionsOf(orgId), inherited };
}
