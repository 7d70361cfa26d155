import { sql } from 'kysely';
import type { Db } from './database.ts';

/** Programs that have it issue credentials and links that name their organization. */
const MIGRATION = '0022-names-and-locks.sql';
/** What is issued without one lasts for seven days at most (portal sessions); so long processes of the version before may run on. */
const TAKEN = '14 days';

/**
 * Until when credentials and links may come that do not name their organization; undefined on a database that had no organization
 * when it was brought to this version, to which nothing can have been issued.
 */
export async function findOlderFormatEnd(db: Db): Promise<Date | undefined> {
  const { rows } = await sql<{ until: Date }>`
    select applied_at + ${sql.lit(TAKEN)}::interval as until from schema_migrations
    where name = ${MIGRATION}
      and exists (select from organizations where created_at < applied_at)
  `.execute(db);
  return rows[0]?.until;
}
