import {
  findFirstPriceReceivedAt,
  findParentOrganizationId,
  listPriceRevisions,
} from '../queries/prices/day-ahead-prices.ts';
import type { Db } from '../queries/connection/database.ts';
import { createPriceBook, joinPriceBooks } from '../simulation/devices/price-book.ts';
import type { PriceBook } from '../simulation/devices/price-book.ts';

interface Span {
  readonly from: Date;
  readonly to: Date;
}

/**
 * The prices that begin in a span as an organization knew them at any time: a simulation organization knew its
 * parent's until the first of its own came in. With `lateMs` without those that came in later after their beginning.
 */
export async function loadPriceBook(db: Db, orgId: string, span: Span, lateMs?: number): Promise<PriceBook> {
  const bookOf = async (id: string): Promise<PriceBook> => {
    const revisions = await listPriceRevisions(db, id, span, lateMs);
    return createPriceBook(
      revisions.map(({ startsAt, receivedAt, price }) => ({ at: startsAt, receivedAt, price })),
    );
  };
  const parent = await findParentOrganizationId(db, orgId);
  if (parent === undefined) return bookOf(orgId);
  const ownSince = await findFirstPriceReceivedAt(db, orgId);
  if (ownSince === undefined) return bookOf(parent);
  return joinPriceBooks(await bookOf(parent), ownSince.getTime(), await bookOf(orgId));
}
