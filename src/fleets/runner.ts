import { setTimeout as sleep } from 'node:timers/promises';
import { yieldLowPriority } from '../households/time-slicer.ts';
import type { YieldToEventLoop } from '../households/time-slicer.ts';
import { PollingLoop } from '../loops/polling-loop.ts';
import { OverlongComputation } from '../domain/api/overlong-computation.ts';
import { Problem } from '../domain/api/problem.ts';
import { isDatabaseUnavailable } from '../queries/connection/database.ts';
import type { ClaimedFleet } from '../queries/fleets/fleet-work.ts';
import { findNextConditionChangeAt } from '../queries/fleets/planned-conditions.ts';
import { buildMissingHouseholds } from '../simulation/household/missing-households.ts';
import { applyDueChargeChecks } from './charge-checks.ts';
import { advanceOldestCheckpoints } from './checkpoints.ts';
import type { CheckpointWorkContext } from './checkpoints.ts';
import { applyDueChanges } from './due-changes.ts';
import type { DueFaultsOptions } from './due-faults.ts';
import { repeatPass } from './due-work.ts';
import type { Pass } from './due-work.ts';
import { FleetClaims } from './fleet-claims.ts';
import { recordProvisioningFailure, provisionFleet } from './provisioning.ts';
import type { BuildHouseholds, ProvisioningContext } from './provisioning.ts';
import { purgeFleetInBatches, removeLeftUsersInBatches } from './purge.ts';

/** Hears of work given by other processes; the answer ends it. */
export type ListenForWork = (wake: () => void) => Promise<() => Promise<void>>;

export interface FleetRunnerOptions extends DueFaultsOptions {
  /** Deliveries may have been written. */
  readonly wakeDispatcher: (orgIds: readonly string[]) => void;
  readonly onError: (error: unknown) => void;
  readonly listen?: ListenForWork;
  /** Computes households elsewhere; in the event loop by default. */
  readonly buildHouseholds?: BuildHouseholds;
  /** How long a dead worker's fleet waits for another one. */
  readonly leaseMs?: number;
  /** Fleets worked on at once in this process. */
  readonly lanes?: number;
  /** Behind a batch of what is built or removed; five milliseconds by default. */
  readonly pause?: () => Promise<unknown>;
  /** Batches of conditions of each partner that follow a turn; ten by default. */
  readonly conditionPasses?: number;
  /** Turns of the event loop for what computes; those that no request needs by default. */
  readonly yieldToEventLoop?: YieldToEventLoop;
}

/** Batches of a removal that one turn does: some 8,000 rows. */
const PURGE_BATCHES_OF_A_TURN = 80;

/** A batch takes some ten milliseconds or twenty: what is built or removed leaves a fifth of the time to others. */
const PAUSE_MS = 5;
export const pauseForOthers = (): Promise<unknown> => sleep(PAUSE_MS);

/** The tables are polled at least this often: wake-ups may be lost, and leases of dead workers run out. */
const POLL_INTERVAL_MS = 1_000;
/** A thread may have been slow by chance; households that take too long so often are given up. */
const MAX_OVERLONG_COMPUTATIONS = 3;

const buildHere: BuildHouseholds = (_partnerId, question) =>
  Promise.resolve(buildMissingHouseholds(question));

/**
 * Does the work on fleets: builds households, removes purged fleets, lets planned conditions begin and end, moves
 * checkpoints on.
 *
 *   idle -> running (start) -> stopped (destroy)
 *
 * Partners take turns. A turn is one claim for each lane, of 1,000 households at most as one call may ask for, or of a part of
 * a removal; the conditions that are due come after each turn, so that one partner's many fleets hold up nobody's.
 *
 * While running, one round at a time: work until there is none, then sleep until the next planned condition, a
 * wake-up or the poll. What computes gives way to requests, and is done beside the rounds, which must not wait for it: checkpoints
 * are moved on, one fleet at a time, since an old fleet's take minutes, and cars that charge by price are looked at.
 */
export class FleetRunner {
  readonly #options: FleetRunnerOptions;
  readonly #context: CheckpointWorkContext & ProvisioningContext;
  readonly #loop: PollingLoop;
  readonly #chargeChecks: PollingLoop;
  readonly #claims: FleetClaims;
  /** How often the households of a fleet took too long. */
  readonly #overlong = new Map<string, number>();
  #isStopped = false;
  #checkpoints: Promise<void> | undefined;
  #unlisten: (() => Promise<void>) | undefined;

  constructor(options: FleetRunnerOptions) {
    this.#options = options;
    const leaseMs = options.leaseMs ?? 10_000;
    this.#context = {
      db: options.db,
      now: options.now,
      leaseUntil: () => new Date(options.now().getTime() + leaseMs),
      simulatorFaults: options.simulatorFaults,
      isStopping: () => this.#isStopped,
      pause: options.pause ?? pauseForOthers,
      buildHouseholds: options.buildHouseholds ?? buildHere,
      yieldToEventLoop: options.yieldToEventLoop ?? yieldLowPriority,
      elapsedMs: () => performance.now(),
    };
    this.#claims = new FleetClaims({ ...this.#context, lanes: options.lanes ?? 3 });
    this.#loop = new PollingLoop({
      work: () => this.#processRound(),
      nextRoundMs: () => {
        this.#startCheckpoints();
        return this.#untilNextChange();
      },
      retryMs: POLL_INTERVAL_MS,
      onError: options.onError,
    });
    this.#chargeChecks = new PollingLoop({
      work: () => this.#applyChargeChecks(),
      nextRoundMs: () => POLL_INTERVAL_MS,
      retryMs: POLL_INTERVAL_MS,
      onError: options.onError,
    });
  }

  async start(): Promise<void> {
    this.#unlisten = await this.#options.listen?.(() => this.wake());
    this.#loop.start();
    this.#chargeChecks.start();
  }

  /** Polls now, since fleets may have work. Cheap, also when called often. */
  wake(): void {
    this.#loop.wake();
  }

  /** Does everything that is due now; for tests and tools. Rejects with the first error of what was due. */
  async processAll(): Promise<void> {
    const round = await Promise.allSettled([this.#processRound()]);
    const aside = await Promise.allSettled([this.#applyChargeChecks(), this.#advanceCheckpoints()]);
    const failed = [...round, ...aside].find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  async #processRound(): Promise<void> {
    await this.#claims.releaseAbandoned();
    let error: Error | undefined;
    for (let hasMore = true; hasMore && !this.#isStopped;) {
      const claims = await this.#claims.claimTurn();
      await Promise.all(claims.map((claim) => this.#work(claim)));
      const isRemoving = await removeLeftUsersInBatches(this.#context, PURGE_BATCHES_OF_A_TURN);
      const conditions = await this.#changeConditions();
      error ??= conditions.error;
      hasMore = conditions.hasMore || isRemoving || claims.length > 0;
    }
    if (error !== undefined) throw error;
  }

  /** Claims no more, finishes the work that has begun and releases its claims. */
  async destroy(): Promise<void> {
    this.#isStopped = true;
    const ended = Promise.all([this.#loop.stop(), this.#chargeChecks.stop()]);
    await this.#unlisten?.();
    await ended;
    await this.#checkpoints;
  }

  #startCheckpoints(): void {
    this.#checkpoints ??= this.#advanceCheckpoints()
      .catch(this.#options.onError)
      .finally(() => (this.#checkpoints = undefined));
  }

  /** Work that the database cannot do now, or for which there is no thread, is left for later; other errors end it. */
  async #work(claim: ClaimedFleet): Promise<void> {
    const { db, now, onError } = this.#options;
    try {
      await (claim.status === 'purging' ? this.#purgeInTurn(claim) : provisionFleet(this.#context, claim));
    } catch (error) {
      onError(error);
      if (this.#mayWorkLater(claim, error)) return this.#claims.postpone(claim);
      // The claim runs out, and the removal is tried again.
      if (claim.status === 'purging') return;
      await db.transaction().execute((tx) => recordProvisioningFailure(tx, claim, reasonOf(error), now()));
    }
    this.#claims.forgetWaits(claim);
    this.#overlong.delete(claim.id);
    if (this.#isStopped) await this.#claims.release(claim);
  }

  #mayWorkLater(claim: ClaimedFleet, error: unknown): boolean {
    if (!(error instanceof OverlongComputation))
      return isDatabaseUnavailable(error) || (error instanceof Problem && error.code === 'overloaded');
    const count = (this.#overlong.get(claim.id) ?? 0) + 1;
    this.#overlong.set(claim.id, count);
    return count < MAX_OVERLONG_COMPUTATIONS;
  }

  /** A fleet of 10,000 households takes many turns: the rest is claimed again. */
  async #purgeInTurn(claim: ClaimedFleet): Promise<void> {
    if (!(await purgeFleetInBatches(this.#context, claim, PURGE_BATCHES_OF_A_TURN)))
      await this.#claims.release(claim);
  }

  /** A part of what is due, so that an outage of many devices does not make fleets wait. */
  #changeConditions() {
    const pass = () => applyDueChanges({ ...this.#options, ...this.#context });
    return this.#repeat(pass, this.#options.conditionPasses ?? 10);
  }

  async #applyChargeChecks(): Promise<void> {
    const pass = () => applyDueChargeChecks({ ...this.#options, ...this.#context });
    const { error } = await this.#repeat(pass, Infinity);
    if (error !== undefined) throw error;
  }

  #repeat(pass: () => Promise<Pass>, most: number) {
    const { wakeDispatcher: tell } = this.#options;
    return repeatPass({ pass, most, isStopping: this.#context.isStopping, tell });
  }

  async #advanceCheckpoints(): Promise<void> {
    while (!this.#isStopped && (await advanceOldestCheckpoints(this.#context)));
  }

  async #untilNextChange(): Promise<number> {
    const next = await findNextConditionChangeAt(this.#options.db);
    if (next === undefined) return POLL_INTERVAL_MS;
    return Math.min(POLL_INTERVAL_MS, Math.max(50, next.getTime() - this.#options.now().getTime()));
  }
}

/** What the fleet's record says: no more than a partner may know. */
function reasonOf(error: unknown): string {
  const mayBeTold = error instanceof RangeError || error instanceof OverlongComputation;
  const detail = mayBeTold ? ` ${error.message}` : '';
  return `The households could not be created.${detail}`;
}
