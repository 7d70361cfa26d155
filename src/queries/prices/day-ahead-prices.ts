import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { PriceBatch } from '../../domain/prices/price-batches.ts';
import type { StoredBefore } from '../../domain/prices/price-comparison.ts';
import type { Db, Tx } from '../connection/database.ts';

/** How many of these prices are not stored yet, or with other values. */
export async function countNewPrices(tx: Tx, orgId: string, batch: PriceBatch): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count ${joinChangedPrices(orgId, batch)}`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** What an upload has stored. */
export interface StoredPrices {
  readonly count: number;
  /** How many of them are the first price of their delivery quarter. */
  readonly newQuarters: number;
  /** The most revisions that one of these delivery quarters has now. */
  readonly mostRevisions: number;
}

/**
 * Stores a revision of each price that differs from its latest one, and counts the upload and the delivery quarters. A
 * revision is always later than the one it replaces, even when two came in the same millisecond or clocks disagree. 10,000
 * take some 100 ms. Uploads of one organization must come one after the other.
 */
export async function insertPriceRevisions(
  tx: Tx,
  orgId: string,
  batch: PriceBatch,
  receivedAt: Date,
): Promise<StoredPrices> {
  const { rows } = await sql<StoredPrices>`
    with changed as materialized (
      select given.*, latest.received_at as latest_at, case when latest.received_at is null then 0 else (
        select count(*) from day_ahead_prices as stored
        where stored.org_id = ${orgId}::uuid and stored.starts_at = given.starts_at) end as revisions
      ${joinChangedPrices(orgId, batch)}
    ), inserted as (
      insert into day_ahead_prices (org_id, starts_at, received_at, price, best_bid, best_ask)
      select ${orgId}::uuid, starts_at,
        greatest(${receivedAt}::timestamptz, latest_at + interval '1 millisecond'),
        price, best_bid, best_ask
      from changed
    ), superseded as (
      update day_ahead_prices stored set superseded = true from changed
      where stored.org_id = ${orgId}::uuid and stored.starts_at = changed.starts_at
        and stored.received_at = changed.latest_at
    ), result as (
      select count(*) as "count", count(*) filter (where latest_at is null) as "newQuarters",
        coalesce(max(revisions) + 1, 0) as "mostRevisions"
      from changed
    ), counted as (
      insert into price_counts as c (org_id, quarters, uploads)
      select ${orgId}::uuid, "newQuarters", 1 from result where "count" > 0
      on conflict on constraint price_counts_pkey do update
      set quarters = c.quarters + excluded.quarters, uploads = c.uploads + 1
    )
    select * from result`.execute(tx);
  const [result] = rows;
  if (result === undefined) throw new Error('A count has no row.');
  return result;
}

/** Those of the prices whose delivery quarters have one already, with the latest of these. */
export async function listStoredBefore(db: Db, orgId: string, batch: PriceBatch): Promise<StoredBefore[]> {
  const { rows } = await sql<StoredBefore>`
    select given.starts_at as "startsAt", latest.price, latest.received_at as "receivedAt",
      not ${IS_CHANGED} as "isSame"
    ${joinLatestPrices(orgId, batch)}
    where latest.received_at is not null
    order by given.starts_at`.execute(db);
  return rows;
}

function joinChangedPrices(orgId: string, batch: PriceBatch) {
  return sql`${joinLatestPrices(orgId, batch)} where latest.received_at is null or ${IS_CHANGED}`;
}

const IS_CHANGED = sql<SqlBool>`((latest.price, latest.best_bid, latest.best_ask)
  is distinct from (given.price, given.best_bid, given.best_ask))`;

/** Lists of bids have different lengths, which unnest of a two-dimensional array cannot carry: they go as text. */
function joinLatestPrices(orgId: string, { startsAtMs, prices, bids, asks }: PriceBatch) {
  return sql`
    from (
      select to_timestamp(starts_at_ms / 1000) as starts_at, price,
        ('{' || coalesce(bids, '') || '}')::float8[] as best_bid,
        ('{' || coalesce(asks, '') || '}')::float8[] as best_ask
      from unnest(
        string_to_array(${startsAtMs}, ',')::float8[],
        string_to_array(${prices}, ',')::float8[],
        string_to_array(${bids}, ';'),
        string_to_array(${asks}, ';')
      ) as sent (starts_at_ms, price, bids, asks)
    ) as given
    left join lateral (
      select stored.received_at, stored.price, stored.best_bid, stored.best_ask
      from day_ahead_prices as stored
      where stored.org_id = ${orgId}::uuid and stored.starts_at = given.starts_at
      order by stored.received_at desc
      limit 1
    ) as latest on true`;
}
