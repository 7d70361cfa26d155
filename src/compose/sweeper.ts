import { deleteExpiredAccessTokens } from '../queries/access-tokens.ts';
import type { Db } from '../queries/database.ts';
import { deleteExpiredPortalSessions } from '../queries/portal-sessions.ts';
import { deleteRateLimitsBefore } from '../queries/rate-limits.ts';

const EVERY_MS = 600_000;
const DAY_MS = 86_400_000;

/** Removes what has expired: tokens, portal sessions, windows of rate limits. */
export function startSweeper(
  db: Db,
  clock: () => Date,
  onError: (error: unknown) => void,
): { stop(): Promise<void> } {
  let underWay: Promise<unknown> = Promise.resolve();
  const sweep = async (): Promise<void> => {
    const now = clock();
    await deleteExpiredAccessTokens(db, now);
    await deleteExpiredPortalSessions(db, now);
    await deleteRateLimitsBefore(db, new Date(now.getTime() - DAY_MS));
  };
  const timer = setInterval(() => {
    underWay = sweep().catch(onError);
  }, EVERY_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await underWay;
    },
  };
}
