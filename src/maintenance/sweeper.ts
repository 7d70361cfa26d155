import { deleteAccessTokensExpiredBefore } from '../queries/accounts/access-tokens.ts';
import { PollingLoop } from '../loops/polling-loop.ts';
import type { Db } from '../queries/connection/database.ts';
import { deleteKeysUsedBefore } from '../queries/accounts/idempotency-keys.ts';
import { deletePortalSessionsExpiredBefore } from '../queries/accounts/portal-sessions.ts';
import { deleteRateLimitsBefore } from '../queries/accounts/rate-limits.ts';
import { deleteOldSignupRequests, findSignupRequestBeyond } from '../queries/accounts/signup-requests.ts';
import { deleteUsersDeletedBefore, deleteUsersUpTo } from '../queries/accounts/user-retention.ts';
import { deleteLeftCheckpoints } from '../queries/fleets/fleet-removal.ts';
import { deleteForgettableRequests } from '../queries/fleets/fleet-requests.ts';
import { deleteOutagesEndedBefore } from '../queries/fleets/shared-outages.ts';
import {
  deleteAttemptsBefore,
  deleteWebhooksDeletedBefore,
  deleteWebhooksUpTo,
} from '../queries/deliveries/retention.ts';
import type { MessagePlace } from '../queries/deliveries/retention.ts';
import {
  deleteDismissalsOfBroadcastsEndedBefore,
  deleteItemsEndedBefore,
} from '../queries/notifications/item-retention.ts';
import { deleteSupersededPricesBefore } from '../queries/prices/price-retention.ts';
import { deleteRequestsSentBefore, deleteUnloggedBefore } from '../queries/requests/request-log.ts';
import { DAY_MS } from '../domain/api/durations.ts';
import { KEY_MEMORY_MS } from '../domain/api/idempotency-keys.ts';
import { removeInBatches } from './batches.ts';
import type { RemoveBatch } from './batches.ts';
import { removeBeyondNewest, removeOldMessages } from './removals-in-turns.ts';
import { RemovalTurns, RoundErrors } from './turns.ts';

/** Between two rounds, unless one has left something. */
const INTERVAL_MS = 600_000;
/** For how long a removal goes on in a round: a partner that makes what it removes without end would keep all behind it waiting. */
const REMOVAL_MS = 10_000;
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

/** Who waits for removals that go through organizations, from round to round. */
interface Turns {
  readonly messages: RemovalTurns<MessagePlace>;
  readonly users: RemovalTurns<true>;
  readonly webhooks: RemovalTurns<true>;
}

const createTurns = (): Turns => ({
  messages: new RemovalTurns({ listsAlways: false }),
  users: new RemovalTurns({ listsAlways: true }),
  webhooks: new RemovalTurns({ listsAlways: true }),
});

interface Round {
  /** Whether a removal had more to do than its time allowed. */
  readonly isLeft: boolean;
  readonly errors: readonly unknown[];
}

/**
 * Deletes from time to time what has expired or was kept for long enough, in small batches. The first round begins at once: a
 * process may never live until the second. So does the next one when a removal had more to do than its time allowed.
 */
export function startExpiredDataSweeper(options: SweeperOptions): { stop(): Promise<void> } {
  const { onError, everyMs = INTERVAL_MS } = options;
  const turns = createTurns();
  let [isStopped, waitMs] = [false, everyMs];
  const work = async (): Promise<void> => {
    const { isLeft, errors } = await removeInRound(options, turns, () => isStopped);
    waitMs = isLeft ? 0 : everyMs;
    if (errors.length > 0) onError(errors[0]);
  };
  const loop = new PollingLoop({ work, nextRoundMs: () => waitMs, retryMs: everyMs, onError });
  loop.start();
  return {
    stop: async () => {
      isStopped = true;
      await loop.stop();
    },
  };
}

/** One round of it, as that of a process that has begun now; rejects afterwards with the first error. */
export async function removeExpiredData(options: RemovalOptions, isStopped: () => boolean): Promise<void> {
  const { errors } = await removeInRound(options, createTurns(), isStopped);
  if (errors.length > 0) throw errors[0];
}

/**
 * Ends with the batch that is under way when it is stopped. What cannot be removed keeps nothing else, unless the database does not
 * answer.
 */
async function removeInRound(
  options: RemovalOptions,
  turns: Turns,
  isStopped: () => boolean,
): Promise<Round> {
  const { clock, batch: most = BATCH_SIZE, monotonicMs = () => performance.now() } = options;
  const errors = new RoundErrors();
  let isLeft = false;
  for (const removeBatch of removals(options, clock(), turns, errors)) {
    const before = errors.all.length;
    try {
      const limits = { most, mostMs: REMOVAL_MS, monotonicMs, isStopped };
      isLeft = (await removeInBatches(removeBatch, limits)) || isLeft;
      if (errors.all.length === before) errors.succeed();
    } catch (error) {
      if (errors.add(error)) return { isLeft: false, errors: errors.all };
    }
  }
  return { isLeft, errors: errors.all };
}

/**
 * One after the other: rows that may have many others below them come after those. Removals of the same rows do not follow each
 * other, since a second one that takes too long ends the round.
 */
function removals(
  { db, days, rateLimitWindowMs, maxSignupRequests, keptDeleted = KEPT_DELETED }: RemovalOptions,
  now: Date,
  turns: Turns,
  errors: RoundErrors,
): RemoveBatch[] {
  const ago = (count: number): Date => new Date(now.getTime() - count * DAY_MS);
  const kept = maxSignupRequests ?? MAX_SIGNUP_REQUESTS;
  const since = new Date(now.getTime() - LOOKED_BACK_MS);
  const windowsBefore = new Date(now.getTime() - rateLimitWindowMs);
  const ofUsers = { since, kept: keptDeleted.users };
  const ofWebhooks = { since, kept: keptDeleted.webhooks };
  return [
    (limit) => deleteAccessTokensExpiredBefore(db, ago(days.tokens), limit),
    (limit) => deleteKeysUsedBefore(db, new Date(now.getTime() - KEY_MEMORY_MS), limit),
    (limit) => deletePortalSessionsExpiredBefore(db, ago(days.sessions), limit),
    removeOldSignupRequests(db, ago(days.signups), kept),
    (limit) => deleteAttemptsBefore(db, ago(days.attempts), limit),
    turns.messages.begin(removeOldMessages(db, ago(days.messages)), errors),
    (limit) => deleteWebhooksDeletedBefore(db, ago(days.deleted), limit),
    (limit) => deleteDismissalsOfBroadcastsEndedBefore(db, ago(days.items), limit),
    turns.webhooks.begin(removeBeyondNewest(db, 'webhooks', ofWebhooks, deleteWebhooksUpTo), errors),
    (limit) => deleteItemsEndedBefore(db, ago(days.items), limit),
    (limit) => deleteUsersDeletedBefore(db, ago(days.deleted), limit),
    (limit) => deleteSupersededPricesBefore(db, ago(days.priceRevisions), limit),
    turns.users.begin(removeBeyondNewest(db, 'users', ofUsers, deleteUsersUpTo), errors),
    (limit) => deleteForgettableRequests(db, now, limit),
    (limit) => deleteOutagesEndedBefore(db, now, limit),
    (limit) => deleteLeftCheckpoints(db, limit),
    (limit) => deleteRequestsSentBefore(db, ago(days.requests), limit),
    (limit) => deleteUnloggedBefore(db, ago(days.requests), limit),
    (limit) => deleteRateLimitsBefore(db, windowsBefore, limit),
  ];
}

/** What is older than the newest `kept` ones is looked for once in a round. */
function removeOldSignupRequests(db: Db, instant: Date, kept: number): RemoveBatch {
  let last: ReturnType<typeof findSignupRequestBeyond> | undefined;
  return async (limit) => {
    last ??= findSignupRequestBeyond(db, kept);
    return deleteOldSignupRequests(db, instant, await last, limit);
  };
}
