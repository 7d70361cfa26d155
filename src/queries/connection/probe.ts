import { sql } from 'kysely';
import { shareAnswer } from '../../domain/api/shared-answer.ts';
import type { Db } from './database.ts';
import { assignRequestToPartner, runInRequestScope } from './request-scope.ts';

/** How long the database may take to answer, in milliseconds, before it counts as away. */
const PROBE_MS = 1_500;
/** Probes within so many milliseconds share one answer: together with the above it is never older than 2 s. */
const ANSWER_MAX_AGE_MS = 250;

/**
 * Asks whether the database answers within 1.5 s; the returned function resolves to what went wrong, or to undefined. Calls
 * at the same time, and within a quarter of a second, share one question, and a connection that does not answer is cut off:
 * probes do not pile up.
 */
export function createDatabaseProbe(db: Db, monotonicMs: () => number): () => Promise<string | undefined> {
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
  return shareAnswer(ask, { maxAgeMs: ANSWER_MAX_AGE_MS, monotonicMs });
}
