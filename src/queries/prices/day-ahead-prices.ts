import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { PriceBatch } from '../../domain/prices/price-batches.ts';
import type { InstantRange } from '../../domain/api/instant-range.ts';
import type { Db, Tx } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

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
 * Stores a revision of each price that differs from its latest one, and counts the delivery quarters of the organization. A
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
      insert into price_counts as c (org_id, quarters, first_received_at)
      select ${orgId}::uuid, "newQuarters", ${receivedAt}::timestamptz from result where "newQuarters" > 0
      on conflict on constraint price_counts_pkey do update
      set quarters = c.quarters + excluded.quarters,
        first_received_at = least(c.first_received_at, excluded.first_received_at)
    )
    select * from result`.execute(tx);
  const [result] = rows;
  if (result === undefined) throw new Error('A count has no row.');
  return result;
}

/** Rows of one statement: their bytes are decoded in some milliseconds. */
const REVISIONS_PER_PAGE = 20_000;
/** Beginning, arrival, price: eight bytes each. */
const BYTES_PER_REVISION = 24;

/**
 * All revisions of the prices that begin in the range, by beginning, then by time of arrival: for each its beginning and
 * its arrival in ms since 1970 and its price in EUR/MWh, in shared memory. With `lateMs` those are left out that came in
 * later than that after the beginning. Read in pages of packed numbers: as rows, 35,000 of them, a year, hold the event
 * loop for ten times as long.
 */
export async function readPriceRevisions(
  db: Db,
  orgId: string,
  { from, to }: InstantRange,
  lateMs?: number,
): Promise<Float64Array> {
  const pages: Buffer[] = [];
  let after: readonly [Date, Date | '-infinity'] = [from, '-infinity'];
  for (;;) {
    const page = await readPageOfRevisions(db, orgId, after, to, lateMs);
    pages.push(page);
    if (page.length < REVISIONS_PER_PAGE * BYTES_PER_REVISION) return decodeNumbers(pages);
    const last = page.subarray(-BYTES_PER_REVISION);
    after = [new Date(last.readDoubleBE(0)), new Date(last.readDoubleBE(8))];
  }
}

async function readPageOfRevisions(
  db: Db,
  orgId: string,
  [startsAt, receivedAt]: readonly [Date, Date | '-infinity'],
  to: Date,
  lateMs: number | undefined,
): Promise<Buffer> {
  const { rows } = await sql<{ packed: Buffer | null }>`
    select string_agg(
      float8send((extract(epoch from starts_at) * 1000)::float8)
        || float8send((extract(epoch from received_at) * 1000)::float8)
        || float8send(price),
      ''::bytea order by starts_at, received_at
    ) as packed
    from (
      select starts_at, received_at, price
      from day_ahead_prices
      where org_id = ${orgId}::uuid and starts_at >= ${startsAt} and starts_at < ${to}
        and (starts_at, received_at) > (${startsAt}, ${receivedAt}) and ${receivedInTime(lateMs)}
      order by starts_at, received_at
      limit ${sql.lit(REVISIONS_PER_PAGE)}
    ) as page`.execute(db);
  return rows[0]?.packed ?? Buffer.alloc(0);
}

function decodeNumbers(pages: readonly Buffer[]): Float64Array {
  const total = pages.reduce((sum, page) => sum + page.length, 0);
  const numbers = new Float64Array(new SharedArrayBuffer(total));
  let next = 0;
  for (const page of pages)
    for (let at = 0; at < page.length; at += 8) numbers[next++] = page.readDoubleBE(at);
  return numbers;
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
  const [row] = await selectParent(db, { orgId });
  return row?.parent_org_id ?? undefined;
}

const selectParent = prepare((db, { orgId }: { readonly orgId: string }) =>
  db.selectFrom('organizations').select('parent_org_id').where('id', '=', orgId),
);

/** When an organization's first price came in; undefined when it has none. */
export async function findFirstPriceReceivedAt(db: Db, orgId: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('price_counts')
    .select('first_received_at')
    .where('org_id', '=', orgId)
    .executeTakeFirst();
  return row?.first_received_at ?? undefined;
}

/** Lists of bids have different lengths, which unnest of a two-dimensional array cannot carry: they go as text. */
function joinChangedPrices(orgId: string, { startsAtMs, prices, bids, asks }: PriceBatch) {
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
    ) as latest on true
    where latest.received_at is null
      or (latest.price, latest.best_bid, latest.best_ask)
        is distinct from (given.price, given.best_bid, given.best_ask)`;
}
