import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { deleteBatch } from '../connection/delete-batch.ts';
import { prepare } from '../connection/prepared.ts';

/** Uses of a policy's quota by a subject, within the window that began at an instant; to add also fewer than 0. */
export interface WindowUses {
  readonly policy: string;
  readonly subject: string;
  readonly windowStartedAt: Date;
  readonly used: number;
}

/**
 * Adds what a process has counted to what all processes have, in one statement for many subjects; resolves to the totals, in any
 * order. A window that is over is replaced by the newer one; uses of a process whose clock is behind count into the
 * newer window. What is given back leaves at least 0, and is not taken from another window. The rows are taken in one order,
 * so that processes cannot block each other for good.
 */
export async function addQuotaUses(db: Db, uses: readonly WindowUses[]): Promise<WindowUses[]> {
  return addUses(db, {
    policies: uses.map(({ policy }) => policy),
    subjects: uses.map(({ subject }) => subject),
    starts: uses.map(({ windowStartedAt }) => windowStartedAt.toISOString()),
    counts: uses.map(({ used }) => used),
  });
}

interface UseColumns {
  readonly policies: readonly string[];
  readonly subjects: readonly string[];
  readonly starts: readonly string[];
  readonly counts: readonly number[];
}

const addUses = prepare(
  (_db, { policies, subjects, starts, counts }: UseColumns) => sql<WindowUses>`
    insert into rate_limits as known (policy, subject, window_started_at, used)
    select policy, subject, window_started_at, used
    from unnest(
      ${policies}::text[],
      ${subjects}::text[],
      ${starts}::timestamptz[],
      ${counts}::integer[]
    ) as counted (policy, subject, window_started_at, used)
    order by policy, subject
    on conflict (policy, subject) do update set
      used = case
        when known.window_started_at < excluded.window_started_at then greatest(excluded.used, 0)
        when known.window_started_at > excluded.window_started_at and excluded.used < 0 then known.used
        else least(greatest(greatest(known.used, 0)::bigint + excluded.used, 0), 2147483647)::integer end,
      window_started_at = greatest(known.window_started_at, excluded.window_started_at)
    returning policy, subject, window_started_at as "windowStartedAt", greatest(used, 0) as used
  `,
);

/** Deletes at most `limit` windows that began before `instant`; resolves to their number. */
export async function deleteRateLimitsBefore(db: Db, instant: Date, limit: number): Promise<number> {
  return deleteBatch(
    db,
    'rate_limits',
    sql`where window_started_at < ${instant} order by window_started_at`,
    limit,
  );
}
