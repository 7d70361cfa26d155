import { deleteExpiredAccessTokens } from '../queries/accounts/access-tokens.ts';
import { PollingLoop } from '../loops/polling-loop.ts';
import type { Db } from '../queries/connection/database.ts';
import { deleteExpiredPortalSessions } from '../queries/accounts/portal-sessions.ts';
import { deleteRateLimitsBefore } from '../queries/accounts/rate-limits.ts';
import { deleteMessagesAnnouncedBefore } from '../queries/deliveries/retention.ts';
import { DAY_MS } from '../domain/api/durations.ts';

/** Between two rounds. */
const INTERVAL_MS = 600_000;
/** Messages that one transaction deletes. */
const BATCH_SIZE = 1_000;

export interface SweeperOptions {
  readonly db: Db;
  readonly clock: () => Date;
  /** How many days messages are kept, with their deliveries and attempts. */
  readonly messageDays: number;
  readonly onError: (error: unknown) => void;
  readonly everyMs?: number;
  readonly batch?: number;
}

/** Deletes from time to time what has expired: access tokens, portal sessions, windows of rate limits, messages. */
export function startExpiredDataSweeper({
  db,
  clock,
  messageDays,
  onError,
  everyMs = INTERVAL_MS,
  batch = BATCH_SIZE,
}: SweeperOptions): { stop(): Promise<void> } {
  let isStopped = false;
  const sweep = async (): Promise<void> => {
    const now = clock();
    await deleteExpiredAccessTokens(db, now);
    await deleteExpiredPortalSessions(db, now);
    await deleteRateLimitsBefore(db, new Date(now.getTime() - DAY_MS));
    const before = new Date(now.getTime() - messageDays * DAY_MS);
    for (let removed = batch; removed === batch && !isStopped;)
      removed = await deleteMessagesAnnouncedBefore(db, before, batch);
  };
  const loop = new PollingLoop({ work: sweep, nextRoundMs: () => everyMs, retryMs: everyMs, onError });
  loop.start(everyMs);
  return {
    stop: async () => {
      isStopped = true;
      await loop.stop();
    },
  };
}
