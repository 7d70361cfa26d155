import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { DayAheadPrice } from '../../domain/prices/prices.ts';
import type { InstantRange } from '../../domain/api/instant-range.ts';
import type { Db, Tx } from '../connection/database.ts';

/** A price with the time it came in. */
interface PriceRevision {
  readonly startsAt: Date;
  readonly receivedAt: Date;
  /** EUR/MWh. */
  readonly price: number;
}

/** One upload after the other, so that each compares with what is stored. */
export async function lockPricesOfOrganization(tx: Tx, orgId: string): Promise<void> {
  await tx.selectFrom('organizations').select('id').where('id', '=', orgId).forNoKeyUpdate().execute();
}

/** How many of these prices are not stored yet, or with other values. */
export async function countNewPrices(
  tx: Tx,
  orgId: string,
  prices: readonly DayAheadPrice[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count ${joinChangedPrices(orgId, prices)}`.execute(tx);
  return rows[0]?.count ?? 0;
}

/**
 * Stores a revision of each price that differs from its latest one; the number stored. A revision is always later
 * than the one it replaces, even when two came in the same millisecond or clocks disagree. 10,000 take some 100 ms.
 */
export async function insertPriceRevisions(
  tx: Tx,
  orgId: string,
  prices: readonly DayAheadPrice[],
  receivedAt: Date,
): Promise<number> {
  const result = await sql`
    insert into day_ahead_prices (org_id, starts_at, received_at, price, best_bid, best_ask)
    select ${orgId}::uuid, given.starts_at,
      greatest(${receivedAt}::timestamptz, latest.received_at + interval '1 millisecond'),
      given.price, given.best_bid::float8[], given.best_ask::float8[]
    ${joinChangedPrices(orgId, prices)}`.execute(tx);
  return Number(result.numAffectedRows ?? 0n);
}

/** The latest revision of each price that begins in the range, in order. */
export async function listPrices(
  db: Db,
  orgId: string,
  { from, to }: InstantRange,
): Promise<DayAheadPrice[]> {
  const rows = await db
    .selectFrom('day_ahead_prices')
    .distinctOn('starts_at')
    .select(['starts_at', 'price', 'best_bid', 'best_ask'])
    .where('org_id', '=', orgId)
    .where('starts_at', '>=', from)
    .where('starts_at', '<', to)
    .orderBy('starts_at')
    .orderBy('received_at', 'desc')
    .execute();
  return rows.map((row) => ({
    startsAt: row.starts_at,
    price: row.price,
    bestBid: row.best_bid,
    bestAsk: row.best_ask,
  }));
}

/**
 * All revisions of the prices that begin in the range, by beginning, then by time of arrival. With `lateMs` those are
 * left out that came in later than that after the beginning.
 */
export async function listPriceRevisions(
  db: Db,
  orgId: string,
  { from, to }: InstantRange,
  lateMs?: number,
): Promise<PriceRevision[]> {
  const rows = await db
    .selectFrom('day_ahead_prices')
    .select(['starts_at', 'received_at', 'price'])
    .where('org_id', '=', orgId)
    .where('starts_at', '>=', from)
    .where('starts_at', '<', to)
    .where(receivedInTime(lateMs))
    .orderBy('starts_at')
    .orderBy('received_at')
    .execute();
  return rows.map((row) => ({ startsAt: row.starts_at, receivedAt: row.received_at, price: row.price }));
}

/** A text that changes whenever one of these revisions is stored for one of the organizations. */
export async function findPriceFingerprint(
  db: Db,
  orgIds: readonly string[],
  from: Date,
  lateMs: number,
): Promise<string> {
  const rows = await db
    .selectFrom('day_ahead_prices')
    .select(({ fn }) => [
      'org_id',
      fn.countAll<number>().as('count'),
      fn.max<Date | null>('received_at').as('latest'),
    ])
    .where('org_id', 'in', orgIds)
    .where('starts_at', '>=', from)
    .where(receivedInTime(lateMs))
    .groupBy('org_id')
    .orderBy('org_id')
    .execute();
  return rows.map((row) => `${row.org_id} ${row.count} ${row.latest?.toISOString() ?? ''}`).join(' ');
}

function receivedInTime(lateMs: number | undefined) {
  if (lateMs === undefined) return sql<SqlBool>`true`;
  return sql<SqlBool>`received_at <= starts_at + ${lateMs} * interval '1 millisecond'`;
}

/** The organization whose prices hold until there are own ones: a simulation organization's parent. */
export async function findParentOrganizationId(db: Db, orgId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('organizations')
    .select('parent_org_id')
    .where('id', '=', orgId)
    .executeTakeFirst();
  return row?.parent_org_id ?? undefined;
}

/** When an organization's first price came in; undefined when it has none. */
export async function findFirstPriceReceivedAt(db: Db, orgId: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('day_ahead_prices')
    .select(({ fn }) => fn.min<Date | null>('received_at').as('first'))
    .where('org_id', '=', orgId)
    .executeTakeFirst();
  return row?.first ?? undefined;
}

/** Lists of bids have different lengths, which unnest of a two-dimensional array cannot carry: they go as text. */
function joinChangedPrices(orgId: string, prices: readonly DayAheadPrice[]) {
  const literal = (values: readonly number[]): string => `{${values.join(',')}}`;
  return sql`
    from unnest(
      ${prices.map((price) => price.startsAt)}::timestamptz[],
      ${prices.map((price) => price.price)}::float8[],
      ${prices.map((price) => literal(price.bestBid))}::text[],
      ${prices.map((price) => literal(price.bestAsk))}::text[]
    ) as given (starts_at, price, best_bid, best_ask)
    left join lateral (
      select stored.received_at, stored.price, stored.best_bid, stored.best_ask
      from day_ahead_prices as stored
      where stored.org_id = ${orgId}::uuid and stored.starts_at = given.starts_at
      order by stored.received_at desc
      limit 1
    ) as latest on true
    where latest.received_at is null
      or (latest.price, latest.best_bid, latest.best_ask)
        is distinct from (given.price, given.best_bid::float8[], given.best_ask::float8[])`;
}
