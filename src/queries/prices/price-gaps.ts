import { sql } from 'kysely';
import type { PriceGaps } from '../../domain/prices/price-comparison.ts';
import type { Db } from '../connection/database.ts';

/** Gaps that are told one by one. */
const MOST_TOLD = 6;

/**
 * Times longer than a price holds between the first and the last of these instants, milliseconds since 1970 with commas between
 * them, at which neither one of them nor a price of the organization begins.
 */
export async function findPriceGaps(db: Db, orgId: string, startsAtMs: string): Promise<PriceGaps> {
  const { rows } = await sql<{ from: Date; to: Date; count: number }>`
    with given as materialized (
      select to_timestamp(ms / 1000) as starts_at from unnest(string_to_array(${startsAtMs}, ',')::float8[]) as sent (ms)
    ), starts as (
      select starts_at from given
      union
      select starts_at from day_ahead_prices
      where org_id = ${orgId}::uuid and not superseded
        and starts_at > (select min(starts_at) from given) and starts_at < (select max(starts_at) from given)
    ), steps as (
      select lag(starts_at) over (order by starts_at) + interval '1 hour' as "from", starts_at as "to" from starts
    )
    select "from", "to", count(*) over () as "count" from steps
    where "from" < "to"
    order by "to"
    limit ${sql.lit(MOST_TOLD)}`.execute(db);
  return { first: rows.map(({ from, to }) => ({ from, to })), count: rows[0]?.count ?? 0 };
}
