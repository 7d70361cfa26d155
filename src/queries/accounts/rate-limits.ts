import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';

/** What is left of a quota after a use. */
export interface Quota {
  /** Uses in the window so far, this one included; `quota + 1` says that it was one too many. */
  readonly used: number;
  readonly remaining: number;
  /** Whole seconds until the window is over, from 1 to the window's length. */
  readonly resetSeconds: number;
}

/**
 * Counts one use of a policy's quota by a subject (a token's digest, a client id, an address) in one statement, so
 * that processes share the count. Windows are fixed and aligned to the clock; a process whose clock is behind
 * counts into the newer window that another has opened. The use was within the quota when `used <= quota`.
 */
export async function countQuotaUse(
  db: Db,
  policy: string,
  subject: string,
  quota: number,
  windowSeconds: number,
  now: Date,
): Promise<Quota> {
  const windowMs = windowSeconds * 1000;
  const windowStartedAt = new Date(Math.floor(now.getTime() / windowMs) * windowMs);
  const row = await db
    .insertInto('rate_limits')
    .values({ policy, subject, window_started_at: windowStartedAt, used: 1 })
    .onConflict((conflict) =>
      conflict.columns(['policy', 'subject']).doUpdateSet({
        used: sql<number>`case when rate_limits.window_started_at < excluded.window_started_at then 1
          else least(rate_limits.used, ${quota}::integer) + 1 end`,
        window_started_at: sql<Date>`greatest(rate_limits.window_started_at, excluded.window_started_at)`,
      }),
    )
    .returning(['used', 'window_started_at'])
    .executeTakeFirstOrThrow();
  const leftMs = row.window_started_at.getTime() + windowMs - now.getTime();
  return {
    used: row.used,
    remaining: Math.max(0, quota - row.used),
    resetSeconds: Math.min(windowSeconds, Math.max(1, Math.ceil(leftMs / 1000))),
  };
}

/** Deletes the windows that began before `instant`; resolves to their number. */
export async function deleteRateLimitsBefore(db: Db, instant: Date): Promise<number> {
  const result = await db
    .deleteFrom('rate_limits')
    .where('window_started_at', '<', instant)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
