import { DEFAULT_QUOTAS } from '../domain/api/quotas.ts';
import { PassEnd } from '../queries/connection/database-errors.ts';
import type { Db, Tx } from '../queries/connection/database.ts';
import { NO_DELIVERIES } from '../queries/deliveries/deliveries.ts';
import type { InsertedDeliveries } from '../queries/deliveries/deliveries.ts';
import { runWithin } from '../queries/connection/request-scope.ts';

/** What all work on fleets needs that is due at an instant and may tell partners of it. */
export interface DueWorkOptions {
  readonly db: Db;
  readonly now: () => Date;
  /** How many pending deliveries a partner may have that has no quota of its own; as documented by default. */
  readonly pendingDeliveries?: number;
  /** Counts deliveries that were cancelled at once, since their partner had as many. */
  readonly countDropped?: (count: number) => void;
  /** Behind each batch that changed something, so that others have the database for a moment. */
  readonly pause: () => Promise<unknown>;
}

/** What was done for one fleet: how many things that were due, and deliveries that were dropped. */
export interface Done {
  readonly count: number;
  readonly dropped: number;
}

export const NOTHING_DONE: Done = { count: 0, dropped: 0 };

/** All that a batch of changes may wait for the database, in milliseconds: what it changes counts from the next quarter hour on. */
const BATCH_DATABASE_MS = 8_000;

/** Deliveries after which a batch ends: some 40 ms, for which what is due of others waits. A change of a device has one for each webhook. */
const DELIVERIES_OF_A_BATCH = 500;

/** Works for one after the other in a transaction until so many deliveries are written: how many it came to. */
export async function doInBatch<Each>(
  all: readonly Each[],
  work: (each: Each) => Promise<InsertedDeliveries | undefined>,
): Promise<Done> {
  let [count, deliveries, dropped] = [0, 0, 0];
  for (const each of all) {
    if (deliveries >= DELIVERIES_OF_A_BATCH) break;
    const written = (await work(each)) ?? NO_DELIVERIES;
    deliveries += written.pending + written.dropped;
    dropped += written.dropped;
    count += 1;
  }
  return { count, dropped };
}

/** A transaction of a batch, which is done in time or not at all (COMMIT_MARGIN_MS); `work` gets the instant at which it began. */
export function inTimelyTransaction<Result>(
  { db, now }: Pick<DueWorkOptions, 'db' | 'now'>,
  work: (tx: Tx, startedAt: Date) => Promise<Result>,
): Promise<Result> {
  return runWithin(BATCH_DATABASE_MS, () => {
    const startedAt = now();
    return db.transaction().execute((tx) => work(tx, startedAt));
  });
}

/** One pass over the fleets in which something was due. */
export interface Pass {
  /** The organizations in which something was done, so that there may be more. */
  readonly changed: readonly string[];
  /** Why the work for some fleets failed; it is still due. */
  readonly errors: readonly Error[];
}

/**
 * Works for one fleet after the other; `work` gets it with the quota of pending deliveries. One that fails keeps no other fleet
 * waiting, unless the database is not there; one that takes too long neither, but a second one in a row ends the pass.
 */
export async function doEach<Due extends { readonly orgId: string }>(
  { pendingDeliveries = DEFAULT_QUOTAS.pending_deliveries, countDropped, pause }: DueWorkOptions,
  due: readonly Due[],
  work: (each: Due, pendingDeliveries: number) => Promise<Done>,
): Promise<Pass> {
  const changed: string[] = [];
  const errors: Error[] = [];
  const end = new PassEnd();
  for (const each of due) {
    try {
      const { count, dropped } = await work(each, pendingDeliveries);
      end.succeed();
      if (dropped > 0) countDropped?.(dropped);
      if (count === 0) continue;
      changed.push(each.orgId);
      await pause();
    } catch (error) {
      errors.push(error instanceof Error ? error : new Error('Work failed.', { cause: error }));
      if (end.isReachedBy(error)) break;
    }
  }
  return { changed, errors };
}

interface Passes {
  readonly pass: () => Promise<Pass>;
  readonly isStopping: () => boolean;
  /** Hears of the organizations in which something was done. */
  readonly tell: (changed: readonly string[]) => void;
  /** Hears at once of the first error behind which more is done, which may take minutes. */
  readonly onError: (error: Error) => void;
}

/** Repeats a pass until nothing is left to do; rejects then with the first error of the last one. */
export async function repeatPass({ pass, isStopping, tell, onError }: Passes): Promise<void> {
  let hasTold = false;
  while (!isStopping()) {
    const { changed, errors } = await pass();
    const [error] = errors;
    if (changed.length === 0) {
      if (error !== undefined) throw error;
      return;
    }
    tell(changed);
    if (error === undefined || hasTold) continue;
    hasTold = true;
    onError(error);
  }
}
