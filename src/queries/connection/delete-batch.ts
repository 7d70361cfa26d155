import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Database } from '../../../generated/database.ts';
import type { Db, Tx } from './database.ts';

/**
 * Deletes at most `limit` rows of a table; resolves to their number. `chosen` is what follows the table in a select of them: which,
 * and in what order. Rows that somebody has locked are passed over, so that nobody is waited for.
 */
export async function deleteBatch(
  db: Db | Tx,
  table: keyof Database,
  chosen: RawBuilder<unknown>,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} ${chosen} limit ${sql.lit(limit)} for update skip locked))
  `.execute(db);
  return Number(numAffectedRows ?? 0n);
}
