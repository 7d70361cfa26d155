import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Database } from '../../../generated/database.ts';
import type { Db, Tx } from './database.ts';

/**
 * Deletes at most `limit` rows of a table, whosever they are; resolves to their number. `chosen` is what follows the table in a select
 * of them: which, and in what order; its one value is an instant. Rows that somebody has locked are passed over, so that nobody is
 * waited for: `delete_batch` in the migrations.
 */
export async function deleteBatch(
  db: Db | Tx,
  table: keyof Database,
  chosen: RawBuilder<unknown>,
  limit: number,
): Promise<number> {
  const { sql: text, parameters } = chosen.compile(db);
  const { rows } = await sql<{ deleted: number }>`
    select delete_batch(${sql.lit(table)}, ${sql.lit(text)}, ${parameters[0]}, ${limit}) as deleted
  `.execute(db);
  return rows[0]?.deleted ?? 0;
}

/** The same for any rows of one organization. */
export async function deleteBatchOf(
  db: Db | Tx,
  table: keyof Database,
  orgId: string,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where org_id = ${orgId} and ctid = any(array(
      select ctid from ${sql.table(table)} where org_id = ${orgId} limit ${sql.lit(limit)} for update skip locked))
  `.execute(db);
  return Number(numAffectedRows ?? 0n);
}
