import { sql } from 'kysely';
import type { DayAheadPrice } from '../../domain/prices/prices.ts';
import type { InstantRange } from '../../domain/api/instant-range.ts';
import type { Db } from '../connection/database.ts';

/** Read and written in a millisecond or two of the event loop, so that pages of many lists may come in one turn. */
const PRICES_PER_PAGE = 250;
const BIDS_PER_PAGE = 2_500;

export interface PricePage {
  readonly prices: readonly DayAheadPrice[];
  /** Where the next page begins; undefined after the last one. */
  readonly next: Date | undefined;
}

/**
 * The latest revision of the first prices that begin in the range, in order: at most 250, and no more of them once there are
 * 2,500 bids and asks.
 */
export async function listPricePage(db: Db, orgId: string, { from, to }: InstantRange): Promise<PricePage> {
  // The lists as JSON: the parser of arrays takes ten times as long.
  const { rows } = await sql<DayAheadPrice>`
    select starts_at as "startsAt", price, to_json(best_bid) as "bestBid", to_json(best_ask) as "bestAsk"
    from (
      select *, sum(bids) over (order by starts_at) - bids as bids_before
      from (
        select distinct on (starts_at)
          starts_at, price, best_bid, best_ask, cardinality(best_bid) + cardinality(best_ask) as bids
        from day_ahead_prices
        where org_id = ${orgId}::uuid and starts_at >= ${from} and starts_at < ${to}
        order by starts_at, received_at desc
        limit ${sql.lit(PRICES_PER_PAGE)}
      ) as latest
    ) as counted
    where bids_before < ${sql.lit(BIDS_PER_PAGE)}
    order by starts_at`.execute(db);
  const bids = rows.reduce((sum, { bestBid, bestAsk }) => sum + bestBid.length + bestAsk.length, 0);
  const last = rows.at(-1);
  const isLast = last === undefined || (rows.length < PRICES_PER_PAGE && bids < BIDS_PER_PAGE);
  return { prices: rows, next: isLast ? undefined : new Date(last.startsAt.getTime() + 1) };
}
