import { sql } from 'kysely';
import type { Db } from './database.ts';

/** Of the deleted rows of an organization the newest so many are kept; looked at where one was deleted after an instant. */
export interface NewestKept {
  readonly since: Date;
  readonly kept: number;
}

/** The place of a deleted row in the order of deletions of its organization. */
export interface DeletedRow {
  readonly deletedAt: Date;
  readonly id: string;
}

export type TableWithDeleted = 'users' | 'webhooks';

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

/**
 * The newest deleted row of an organization that is older than its newest `kept` ones; undefined when it has no more than these.
 * All that are kept are walked over, so it is asked once for many batches.
 */
export async function findNewestBeyond(
  db: Db,
  table: TableWithDeleted,
  orgId: string,
  kept: number,
): Promise<DeletedRow | undefined> {
  const { rows } = await sql<DeletedRow>`
    select deleted_at as "deletedAt", id from ${sql.table(table)} where org_id = ${orgId} and deleted_at is not null
    order by deleted_at desc, id desc offset ${kept} limit 1
  `.execute(db);
  return rows[0];
}

/** The ids of at most `limit` deleted rows of an organization, the oldest ones, up to `last` and with it. */
export async function listDeletedUpTo(
  db: Db,
  table: TableWithDeleted,
  orgId: string,
  last: DeletedRow,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(table)}
    where org_id = ${orgId} and deleted_at is not null and (deleted_at, id) <= (${last.deletedAt}, ${last.id}::uuid)
    order by deleted_at, id limit ${sql.lit(limit)}
  `.execute(db);
  return rows.map(({ id }) => id);
}
