import { sql } from 'kysely';
import type { Db } from './database.ts';
import { assignRequestToPartner, runInRequestScope } from './request-scope.ts';

/** How long the database may take to answer, in milliseconds, before it counts as away. */
const PROBE_MS = 1_500;

/**
 * Asks whether the database answers within 1.5 s; the returned function resolves to what went wrong, or to undefined. Calls
 * at the same time share one question, and a connection that does not answer is cut off: probes do not pile up.
 */
export function createDatabaseProbe(db: Db): () => Promise<string | undefined> {
  let asking: Promise<string | undefined> | undefined;
  const ask = async (): Promise<string | undefined> => {
    try {
      await runInRequestScope(
        () => false,
        () => {
          assignRequestToPartner('probe');
          return sql`select 1`.execute(db);
        },
        PROBE_MS,
      );
      return undefined;
    } catch {
      return 'the database does not answer';
    }
  };
  return () => (asking ??= ask().finally(() => (asking = undefined)));
}
