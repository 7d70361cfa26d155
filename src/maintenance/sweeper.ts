import { deleteAccessTokensExpiredBefore } from '../queries/accounts/access-tokens.ts';
import { PollingLoop } from '../loops/polling-loop.ts';
import { PassEnd } from '../queries/connection/database-errors.ts';
import type { Db } from '../queries/connection/database.ts';
import { deleteKeysUsedBefore } from '../queries/accounts/idempotency-keys.ts';
import { deletePortalSessionsExpiredBefore } from '../queries/accounts/portal-sessions.ts';
import { deleteRateLimitsBefore } from '../queries/accounts/rate-limits.ts';
import { deleteOldSignupRequests } from '../queries/accounts/signup-requests.ts';
import { deleteUsersBeyond, deleteUsersDeletedBefore } from '../queries/accounts/user-retention.ts';
import { deleteLeftCheckpoints } from '../queries/fleets/fleet-removal.ts';
import { deleteForgettableRequests } from '../queries/fleets/fleet-requests.ts';
import { deleteOutagesEndedBefore } from '../queries/fleets/shared-outages.ts';
import {
  deleteAttemptsBefore,
  deleteMessagesAnnouncedBefore,
  deleteWebhooksBeyond,
  deleteWebhooksDeletedBefore,
} from '../queries/deliveries/retention.ts';
import {
  deleteDismissalsOfBroadcastsEndedBefore,
  deleteItemsEndedBefore,
} from '../queries/notifications/item-retention.ts';
import { deleteSupersededPricesBefore } from '../queries/prices/price-retention.ts';
import { deleteRequestsSentBefore, deleteUnloggedBefore } from '../queries/requests/request-log.ts';
import { DAY_MS } from '../domain/api/durations.ts';
import { KEY_MEMORY_MS } from '../domain/api/idempotency-keys.ts';
import { removeInBatches } from './batches.ts';

/** Between two rounds. */
const INTERVAL_MS = 600_000;
/** Rows that one statement deletes at most. */
const BATCH_SIZE = 1_000;
/** Sign-up requests beyond the newest so many go before their time: nobody needs a token to send one. */
const MAX_SIGNUP_REQUESTS = 100_000;
/** Deleted users and webhooks of an organization beyond the newest so many go before their time: a deletion frees their quota. */
const KEPT_DELETED = { users: 100_000, webhooks: 1_000 };
/** How far back a round looks for organizations in which one was deleted; more than from round to round. */
const LOOKED_BACK_MS = 3 * INTERVAL_MS;

/** For how many days each is kept: from its end, its expiry or its arrival on, as the README tells. */
export interface RetentionDays {
  readonly messages: number;
  readonly attempts: number;
  readonly items: number;
  /** Users and webhooks that were deleted. */
  readonly deleted: number;
  readonly priceRevisions: number;
  readonly tokens: number;
  readonly sessions: number;
  readonly signups: number;
  /** Requests of partners. */
  readonly requests: number;
}

export interface RemovalOptions {
  readonly db: Db;
  readonly clock: () => Date;
  readonly days: RetentionDays;
  /** The longest window of a rate limit. */
  readonly rateLimitWindowMs: number;
  readonly batch?: number;
  readonly maxSignupRequests?: number;
  readonly keptDeleted?: typeof KEPT_DELETED;
  /** Times the batches; milliseconds of a clock that never goes back. */
  readonly monotonicMs?: () => number;
}

export interface SweeperOptions extends RemovalOptions {
  readonly onError: (error: unknown) => void;
  readonly everyMs?: number;
}

type RemoveBatch = (limit: number) => Promise<number>;

/**
 * Deletes from time to time what has expired or was kept for long enough, in small batches. The first round begins at once: a
 * process may never live until the second.
 */
export function startExpiredDataSweeper(options: SweeperOptions): { stop(): Promise<void> } {
  const { onError, everyMs = INTERVAL_MS } = options;
  let isStopped = false;
  const work = (): Promise<void> => removeExpiredData(options, () => isStopped);
  const loop = new PollingLoop({ work, nextRoundMs: () => everyMs, retryMs: everyMs, onError });
  loop.start();
  return {
    stop: async () => {
      isStopped = true;
      await loop.stop();
    },
  };
}

/**
 * One round of it; ends with the batch that is under way when it is stopped. What cannot be removed keeps nothing else: rejects
 * afterwards with the first error, or at once when the database does not answer.
 */
export async function removeExpiredData(options: RemovalOptions, isStopped: () => boolean): Promise<void> {
  const { clock, batch: most = BATCH_SIZE, monotonicMs = () => performance.now() } = options;
  const errors: unknown[] = [];
  const end = new PassEnd();
  for (const removeBatch of removals(options, clock())) {
    try {
      await removeInBatches(removeBatch, { most, monotonicMs, isStopped });
      end.succeed();
    } catch (error) {
      errors.push(error);
      if (end.isReachedBy(error)) break;
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** One after the other: rows that may have many others below them come after those. */
function removals(
  { db, days, rateLimitWindowMs, maxSignupRequests, keptDeleted = KEPT_DELETED }: RemovalOptions,
  now: Date,
): RemoveBatch[] {
  const ago = (count: number): Date => new Date(now.getTime() - count * DAY_MS);
  const kept = maxSignupRequests ?? MAX_SIGNUP_REQUESTS;
  const since = new Date(now.getTime() - LOOKED_BACK_MS);
  const windowsBefore = new Date(now.getTime() - rateLimitWindowMs);
  return [
    (limit) => deleteAccessTokensExpiredBefore(db, ago(days.tokens), limit),
    (limit) => deleteKeysUsedBefore(db, new Date(now.getTime() - KEY_MEMORY_MS), limit),
    (limit) => deletePortalSessionsExpiredBefore(db, ago(days.sessions), limit),
    (limit) => deleteOldSignupRequests(db, ago(days.signups), kept, limit),
    (limit) => deleteAttemptsBefore(db, ago(days.attempts), limit),
    (limit) => deleteMessagesAnnouncedBefore(db, ago(days.messages), limit),
    (limit) => deleteWebhooksDeletedBefore(db, ago(days.deleted), limit),
    (limit) => deleteWebhooksBeyond(db, { since, kept: keptDeleted.webhooks }, limit),
    (limit) => deleteDismissalsOfBroadcastsEndedBefore(db, ago(days.items), limit),
    (limit) => deleteItemsEndedBefore(db, ago(days.items), limit),
    (limit) => deleteUsersDeletedBefore(db, ago(days.deleted), limit),
    (limit) => deleteUsersBeyond(db, { since, kept: keptDeleted.users }, limit),
    (limit) => deleteSupersededPricesBefore(db, ago(days.priceRevisions), limit),
    (limit) => deleteForgettableRequests(db, now, limit),
    (limit) => deleteOutagesEndedBefore(db, now, limit),
    (limit) => deleteLeftCheckpoints(db, limit),
    (limit) => deleteRequestsSentBefore(db, ago(days.requests), limit),
    (limit) => deleteUnloggedBefore(db, ago(days.requests), limit),
    (limit) => deleteRateLimitsBefore(db, windowsBefore, limit),
  ];
}
