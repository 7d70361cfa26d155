import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';

/**
 * Deletes at most `limit` revisions of prices that a later one has replaced, of quarters that began before `instant`; resolves to
 * their number. Each quarter keeps its last price.
 */
export async function deleteSupersededPricesBefore(db: Db, instant: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from day_ahead_prices where ctid = any(array(
      select ctid from day_ahead_prices where superseded and starts_at < ${instant}
      order by starts_at limit ${sql.lit(limit)} for update skip locked))
  `.execute(db);
  return Number(numAffectedRows ?? 0n);
}
