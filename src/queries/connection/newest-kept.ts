import { sql } from 'kysely';
import type { Db } from './database.ts';

/** Of the deleted rows of an organization the newest so many are kept; looked at where one was deleted after an instant. */
export interface NewestKept {
  readonly since: Date;
  readonly kept: number;
}

type TableWithDeleted = 'users' | 'webhooks';

/** The organizations in which a row of the table was deleted after `since`. */
export async function listOrganizationsWithDeletions(
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
export async function listDeletedBeyond(
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
