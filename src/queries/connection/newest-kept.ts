import { sql } from 'kysely';
import type { Db, Tx } from './database.ts';

/** Of the deleted rows of an organization the newest so many are kept; looked at where one was deleted after an instant. */
export interface NewestKept {
  readonly since: Date;
  readonly kept: number;
}

type TableWithDeleted = 'users' | 'webhooks';

/**
 * Removes, of each such organization, deleted rows beyond its newest ones: at most `most` at a time, in a transaction of its own.
 * `remove` resolves to how many went, or says what had to go first. True when more may be left.
 */
export async function removeBeyondNewest(
  db: Db,
  table: TableWithDeleted,
  { since, kept }: NewestKept,
  most: number,
  remove: (tx: Tx, orgId: string, ids: readonly string[]) => Promise<number | string>,
): Promise<boolean> {
  for (const orgId of await listOrganizationsWithDeletions(db, table, since)) {
    const ids = await listDeletedBeyond(db, table, orgId, kept, most);
    if (ids.length === 0) continue;
    const gone = await db.transaction().execute((tx) => remove(tx, orgId, ids));
    if (typeof gone === 'string' || gone === most) return true;
  }
  return false;
}

/** The organizations in which a row of the table was deleted after `since`. */
async function listOrganizationsWithDeletions(
  db: Db,
  table: TableWithDeleted,
  since: Date,
): Promise<string[]> {
  const { rows } = await sql<{ org_id: string }>`
    select distinct org_id from ${sql.table(table)} where deleted_at > ${since}
  `.execute(db);
  return rows.map(({ org_id }) => org_id);
}

/** At most `limit` ids of deleted rows of an organization that are older than its newest `kept` deleted ones. */
async function listDeletedBeyond(
  db: Db,
  table: TableWithDeleted,
  orgId: string,
  kept: number,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(table)} where org_id = ${orgId} and deleted_at is not null
    order by deleted_at desc, id offset ${kept} limit ${sql.lit(limit)}
  `.execute(db);
  return rows.map(({ id }) => id);
}
