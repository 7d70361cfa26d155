import { sql } from 'kysely';
import { findPriceValidity } from '../../domain/prices/price-validity.ts';
import type { PriceStarts } from '../../domain/prices/price-validity.ts';
import { PRICE_VALIDITY_MS } from '../../domain/prices/prices.ts';
import type { DayAheadPrice, PriceOrigin } from '../../domain/prices/prices.ts';
import type { InstantRange } from '../../domain/api/instant-range.ts';
import type { Db } from '../connection/database.ts';

/** Read and written in some milliseconds of the event loop, so that pages of several lists may come in one turn. */
const PRICES_PER_PAGE = 250;
const BIDS_PER_PAGE = 10_000;
/** The last instant that can be written with a year of four digits. */
const LAST_INSTANT_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
/** Earlier values that are told of a price, the last first. */
const REPLACED_PER_PRICE = 10;

/** A price that another one took the place of. */
export interface ReplacedPrice {
  /** EUR/MWh. */
  readonly price: number;
  /** ISO 8601 in UTC. */
  readonly received_at: string;
}

/** A price that is in force, with how it came to be. */
export interface ListedPrice extends DayAheadPrice {
  readonly origin: PriceOrigin;
  readonly receivedAt: Date;
  readonly validFrom: Date;
  readonly validUntil: Date;
  /** What it replaced: at most ten earlier values, the last first. */
  readonly replaced: readonly ReplacedPrice[];
}

type PriceRow = Omit<ListedPrice, 'validFrom' | 'validUntil'>;

export interface PricePage {
  readonly prices: readonly ListedPrice[];
  /** Where the next page begins; undefined after the last one. */
  readonly next: Date | undefined;
}

/** An organization with its parent, null for one that has none. */
export interface PriceOwners {
  readonly orgId: string;
  readonly parentId: string | null;
}

/**
 * The latest revision of the first prices that begin in the range, in order: at most 250, and no more of them once there are
 * 10,000 bids and asks. Those of the parent that are never in force are left out.
 */
export async function listPricePage(db: Db, owners: PriceOwners, range: InstantRange): Promise<PricePage> {
  const rows = await listRows(db, owners, range);
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return { prices: [], next: undefined };
  const around = await findStartsAround(db, owners, first.startsAt, last.startsAt);
  const startsOf = (origin: PriceOrigin): ReadonlySet<number> =>
    new Set([...around, ...rows].filter((row) => row.origin === origin).map((row) => row.startsAt.getTime()));
  const starts: PriceStarts = { own: startsOf('own'), parent: startsOf('parent') };
  const bids = rows.reduce((sum, { bestBid, bestAsk }) => sum + bestBid.length + bestAsk.length, 0);
  const isLast = rows.length < PRICES_PER_PAGE && bids < BIDS_PER_PAGE;
  return {
    prices: rows.flatMap((row) => {
      const validity = findPriceValidity(row.startsAt.getTime(), row.origin, starts);
      if (validity === null) return [];
      return {
        ...row,
        validFrom: new Date(validity.fromMs),
        validUntil: new Date(Math.min(validity.untilMs, LAST_INSTANT_MS)),
      };
    }),
    next: isLast ? undefined : new Date(last.startsAt.getTime() + 1),
  };
}

/** Of two prices that begin together the own one comes first: a page that ends with it leaves out one that is never in force. */
async function listRows(
  db: Db,
  { orgId, parentId }: PriceOwners,
  range: InstantRange,
): Promise<readonly PriceRow[]> {
  // The lists as JSON: the parser of arrays takes ten times as long.
  const { rows } = await sql<PriceRow>`
    select starts_at as "startsAt", price, to_json(best_bid) as "bestBid", to_json(best_ask) as "bestAsk",
      origin, received_at as "receivedAt", replaced
    from (
      select *, sum(bids) over (order by starts_at, origin) - bids as bids_before
      from (
        select * from (
          ${selectLatest(orgId, 'own', range)} union all ${selectLatest(parentId, 'parent', range)}
        ) as of_owners
        order by starts_at, origin
        limit ${sql.lit(PRICES_PER_PAGE)}
      ) as latest
    ) as counted
    where bids_before < ${sql.lit(BIDS_PER_PAGE)}
    order by starts_at, origin`.execute(db);
  return rows;
}

function selectLatest(orgId: string | null, origin: PriceOrigin, { from, to }: InstantRange) {
  return sql`(
    select starts_at, received_at, price, best_bid, best_ask,
      cardinality(best_bid) + cardinality(best_ask) as bids, ${sql.lit(origin)}::text as origin,
      ${selectReplaced(orgId)} as replaced
    from day_ahead_prices as latest
    where org_id = ${orgId}::uuid and starts_at >= ${from} and starts_at < ${to} and not superseded
    order by starts_at
    limit ${sql.lit(PRICES_PER_PAGE)}
  )`;
}

/** What the price `latest` of an owner has replaced. */
function selectReplaced(orgId: string | null) {
  return sql`(
    select coalesce(json_agg(json_build_object(
      'price', price,
      'received_at', to_char(received_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    ) order by received_at desc), '[]')
    from (
      select earlier.price, earlier.received_at
      from day_ahead_prices as earlier
      where earlier.org_id = ${orgId}::uuid and earlier.starts_at = latest.starts_at
        and earlier.received_at < latest.received_at
      order by earlier.received_at desc
      limit ${sql.lit(REPLACED_PER_PRICE)}
    ) as earlier
  )`;
}

/** What begins within an hour before a page and behind it: it can end what is in force on the page. */
async function findStartsAround(
  db: Db,
  { orgId, parentId }: PriceOwners,
  first: Date,
  last: Date,
): Promise<readonly Pick<PriceRow, 'startsAt' | 'origin'>[]> {
  const before = new Date(first.getTime() - PRICE_VALIDITY_MS);
  const behind = new Date(last.getTime() + PRICE_VALIDITY_MS);
  const select = (id: string | null, origin: PriceOrigin) => sql`
    select distinct starts_at as "startsAt", ${sql.lit(origin)}::text as origin
    from day_ahead_prices
    where org_id = ${id}::uuid
      and (starts_at > ${before} and starts_at < ${first} or starts_at > ${last} and starts_at < ${behind})`;
  const { rows } = await sql<Pick<PriceRow, 'startsAt' | 'origin'>>`
    ${select(orgId, 'own')} union all ${select(parentId, 'parent')}`.execute(db);
  return rows;
}
