// Which transactions announce messages of an organization: each holds a lock in shared mode, for which nobody waits.
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';

/** The class of advisory locks by which transactions show that they announce; their object is an organization. */
const ANNOUNCING_LOCK_CLASS = 7_402_113;

/** The same for two organizations in rare cases, which then wait for each other's announcements. */
const lockObject = (orgId: string): RawBuilder<number> => sql`hashtext(lower(${orgId}::text))`;

/**
 * A select of one row that shows, until the transaction ends, that it announces messages of the organization. An instant of
 * announcement must be taken behind it: `clock_timestamp()` in a statement that reads this row from a materialized CTE.
 */
export function showAnnouncing(orgId: string): RawBuilder<unknown> {
  return sql`select pg_advisory_xact_lock_shared(${ANNOUNCING_LOCK_CLASS}::integer, ${lockObject(orgId)})`;
}

/** A select of when each transaction began that announces messages of the organization now, as `xact_start`. */
export function listAnnouncing(orgId: string): RawBuilder<unknown> {
  return sql`
    select a.xact_start from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'advisory' and l.database = (select oid from pg_database where datname = current_database())
      and l.classid = ${ANNOUNCING_LOCK_CLASS}::integer::oid and l.objid = ${lockObject(orgId)}::oid
      and l.objsubid = 2`;
}
