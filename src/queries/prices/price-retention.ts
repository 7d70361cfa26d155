import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { deleteBatch } from '../connection/delete-batch.ts';

/**
 * Deletes at most `limit` revisions of prices that a later one has replaced, of quarters that began before `instant`; resolves to
 * their number. Each quarter keeps its last price.
 */
export async function deleteSupersededPricesBefore(db: Db, instant: Date, limit: number): Promise<number> {
  return deleteBatch(
    db,
    'day_ahead_prices',
    sql`where superseded and starts_at < ${instant} order by starts_at`,
    limit,
  );
}
