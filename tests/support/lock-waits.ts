import { testServer } from './database.ts';

/**
 * SQL of the rows of pg_stat_activity whose statements wait for a lock, in this database alone. On Citus the lock is one of a worker mostly,
 * of which the coordinator's own row says nothing.
 */
export function lockWaits(): string {
  const elsewhere =
    testServer().others.length === 0
      ? ''
      : 'or pid in (select citus_pid_for_gpid(waiting_gpid) from citus_lock_waits)';
  return `(select * from pg_stat_activity where datname = current_database() and (wait_event_type = 'Lock' ${elsewhere})) waiting`;
}
