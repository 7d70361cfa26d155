import { deleteExpiredAccessTokens } from '../queries/accounts/access-tokens.ts';
import { PollingLoop } from '../loops/polling-loop.ts';
import type { Db } from '../queries/connection/database.ts';
import { deleteExpiredPortalSessions } from '../queries/accounts/portal-sessions.ts';
import { deleteRateLimitsBefore } from '../queries/accounts/rate-limits.ts';
import { deleteOldSignupRequests } from '../queries/accounts/signup-requests.ts';
import { deleteForgettableRequests } from '../queries/fleets/fleet-requests.ts';
import { deleteMessagesAnnouncedBefore } from '../queries/deliveries/retention.ts';
import { DAY_MS } from '../domain/api/durations.ts';

/** Between two rounds. */
const INTERVAL_MS = 600_000;
/** Rows that one statement deletes of messages and of sign-up requests. */
const BATCH_SIZE = 1_000;
/** Sign-up requests beyond the newest so many go before their time: nobody needs a token to send one. */
const MAX_SIGNUP_REQUESTS = 100_000;

export interface SweeperOptions {
  readonly db: Db;
  readonly clock: () => Date;
  /** How many days messages are kept, with their deliveries and attempts. */
  readonly messageDays: number;
  readonly signupDays: number;
  /** The longest window of a rate limit. */
  readonly rateLimitWindowMs: number;
  readonly onError: (error: unknown) => void;
  readonly everyMs?: number;
  readonly batch?: number;
  readonly maxSignupRequests?: number;
}

/**
 * Deletes from time to time what has expired: access tokens, portal sessions, windows of rate limits, sign-up
 * requests, messages, request ids of fleets. The first round begins at once: a process may never live until the second.
 */
export function startExpiredDataSweeper({
  db,
  clock,
  messageDays,
  signupDays,
  rateLimitWindowMs,
  onError,
  everyMs = INTERVAL_MS,
  batch = BATCH_SIZE,
  maxSignupRequests = MAX_SIGNUP_REQUESTS,
}: SweeperOptions): { stop(): Promise<void> } {
  let isStopped = false;
  const inBatches = async (removeBatch: () => Promise<number>): Promise<void> => {
    for (let removed = batch; removed === batch && !isStopped;) removed = await removeBatch();
  };
  const sweep = async (): Promise<void> => {
    const now = clock();
    await deleteExpiredAccessTokens(db, now);
    await deleteExpiredPortalSessions(db, now);
    const daysAgo = (days: number): Date => new Date(now.getTime() - days * DAY_MS);
    await inBatches(() => deleteOldSignupRequests(db, daysAgo(signupDays), maxSignupRequests, batch));
    await inBatches(() => deleteMessagesAnnouncedBefore(db, daysAgo(messageDays), batch));
    await inBatches(() => deleteForgettableRequests(db, now, batch));
    await deleteRateLimitsBefore(db, new Date(now.getTime() - rateLimitWindowMs));
  };
  const loop = new PollingLoop({ work: sweep, nextRoundMs: () => everyMs, retryMs: everyMs, onError });
  loop.start();
  return {
    stop: async () => {
      isStopped = true;
      await loop.stop();
    },
  };
}
