import { yieldLowPriority } from '../households/time-slicer.ts';
import type { YieldToEventLoop } from '../households/time-slicer.ts';
import { Backoff } from '../loops/backoff.ts';
import { PollingLoop } from '../loops/polling-loop.ts';
import { OverlongComputation } from '../domain/api/overlong-computation.ts';
import { Problem } from '../domain/api/problem.ts';
import { isDatabaseUnavailable } from '../queries/connection/database.ts';
import { claimFleet, postponeFleetClaim, releaseFleetClaim } from '../queries/fleets/fleet-work.ts';
import type { ClaimedFleet } from '../queries/fleets/fleet-work.ts';
import { findNextConditionChangeAt } from '../queries/fleets/planned-conditions.ts';
import { buildMissingHouseholds } from '../simulation/household/missing-households.ts';
import { advanceOldestCheckpoints } from './checkpoints.ts';
import type { CheckpointWorkContext } from './checkpoints.ts';
import { applyDueChanges } from './due-changes.ts';
import type { DueFaultsOptions } from './due-faults.ts';
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
  /** Batches of conditions of each partner that follow a turn; ten by default. */
  readonly conditionPasses?: number;
  /** Turns of the event loop for checkpoints; those that no request needs by default. */
  readonly yieldToEventLoop?: YieldToEventLoop;
}

/** Batches of a removal that one turn does: some 20,000 rows. */
const PURGE_BATCHES_OF_A_TURN = 80;
/** Partners of which is remembered when they were served. */
const MAX_SERVED = 100;

/** The tables are polled at least this often: wake-ups may be lost, and leases of dead workers run out. */
const POLL_INTERVAL_MS = 1_000;
/** Work that the database could not do is tried again after a quarter of a second, later after a second. */
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 1_000;
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
 * wake-up or the poll. Checkpoints are moved on beside the rounds, one fleet at a time: an old fleet's take minutes.
 */
export class FleetRunner {
  readonly #options: FleetRunnerOptions;
  readonly #context: CheckpointWorkContext & ProvisioningContext;
  readonly #loop: PollingLoop;
  readonly #backoff = new Backoff(FIRST_RETRY_MS, LONGEST_RETRY_MS);
  /** How often the households of a fleet took too long. */
  readonly #overlong = new Map<string, number>();
  /** Claims of work that failed together with the database; they would keep all runners off until their leases end. */
  readonly #abandoned = new Set<ClaimedFleet>();
  /** The partners whose fleets were worked on last, the latest last. */
  readonly #served = new Set<string>();
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
      buildHouseholds: options.buildHouseholds ?? buildHere,
      yieldToEventLoop: options.yieldToEventLoop ?? yieldLowPriority,
      elapsedMs: () => performance.now(),
    };
    this.#loop = new PollingLoop({
      work: () => this.#processRound(),
      nextRoundMs: () => {
        this.#startCheckpoints();
        return this.#untilNextChange();
      },
      retryMs: POLL_INTERVAL_MS,
      onError: options.onError,
    });
  }

  async start(): Promise<void> {
    this.#unlisten = await this.#options.listen?.(() => this.wake());
    this.#loop.start();
  }

  /** Polls now, since fleets may have work. Cheap, also when called often. */
  wake(): void {
    this.#loop.wake();
  }

  /** Does everything that is due now; for tests and tools. Rejects with the first error of due faults or checkpoints. */
  async processAll(): Promise<void> {
    await this.#processRound();
    await this.#advanceCheckpoints();
  }

  async #processRound(): Promise<void> {
    await this.#releaseAbandoned();
    for (let hasMore = true; hasMore && !this.#isStopped;) {
      const claims = await this.#claimTurns();
      await Promise.all(claims.map((claim) => this.#work(claim)));
      const isRemoving = await removeLeftUsersInBatches(this.#context, PURGE_BATCHES_OF_A_TURN);
      hasMore = (await this.#changeConditions()) || isRemoving || claims.length > 0;
    }
  }

  /** Claims no more, finishes the work that has begun and releases its claims. */
  async destroy(): Promise<void> {
    this.#isStopped = true;
    const ended = this.#loop.stop();
    await this.#unlisten?.();
    await ended;
    await this.#checkpoints;
  }

  #startCheckpoints(): void {
    this.#checkpoints ??= this.#advanceCheckpoints()
      .catch(this.#options.onError)
      .finally(() => (this.#checkpoints = undefined));
  }

  /** A fleet for each lane, one after the other, so that each claim sees which partners are being served. */
  async #claimTurns(): Promise<readonly ClaimedFleet[]> {
    const { db, now, lanes = 3 } = this.#options;
    const claims: ClaimedFleet[] = [];
    try {
      while (claims.length < lanes && !this.#isStopped) {
        const claim = await claimFleet(db, now(), this.#context.leaseUntil(), [...this.#served]);
        if (claim === undefined) break;
        claims.push(claim);
        this.#remember(claim.org_id);
      }
    } catch (error) {
      for (const claim of claims) this.#abandoned.add(claim);
      throw error;
    }
    return claims;
  }

  #remember(partnerId: string): void {
    this.#served.delete(partnerId);
    this.#served.add(partnerId);
    const [oldest] = this.#served;
    if (this.#served.size > MAX_SERVED && oldest !== undefined) this.#served.delete(oldest);
  }

  /** Work that the database cannot do now, or for which there is no thread, is left for later; other errors end it. */
  async #work(claim: ClaimedFleet): Promise<void> {
    const { db, now, onError } = this.#options;
    try {
      await (claim.status === 'purging' ? this.#purgeInTurn(claim) : provisionFleet(this.#context, claim));
    } catch (error) {
      onError(error);
      if (this.#mayWorkLater(claim, error)) return this.#postpone(claim);
      // The claim runs out, and the removal is tried again.
      if (claim.status === 'purging') return;
      await db.transaction().execute((tx) => recordProvisioningFailure(tx, claim, reasonOf(error), now()));
    }
    this.#backoff.forget(claim.id);
    this.#overlong.delete(claim.id);
    if (this.#isStopped) await releaseFleetClaim(db, claim);
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
      await releaseFleetClaim(this.#options.db, claim);
  }

  async #postpone(claim: ClaimedFleet): Promise<void> {
    const { db, now } = this.#options;
    const until = new Date(now().getTime() + this.#backoff.nextMs(claim.id));
    this.#abandoned.add(claim);
    await postponeFleetClaim(db, claim, until).then(
      () => this.#abandoned.delete(claim),
      () => undefined,
    );
  }

  async #releaseAbandoned(): Promise<void> {
    for (const claim of this.#abandoned) {
      await releaseFleetClaim(this.#options.db, claim);
      this.#abandoned.delete(claim);
    }
  }

  /** A part of what is due, so that an outage of many devices does not make fleets wait; true when more may be. */
  async #changeConditions(): Promise<boolean> {
    const { conditionPasses = 10 } = this.#options;
    for (let pass = 0; pass < conditionPasses && !this.#isStopped; pass += 1) {
      const changed = await applyDueChanges({ ...this.#options, ...this.#context });
      if (changed.length === 0) return false;
      this.#options.wakeDispatcher(changed);
    }
    return true;
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
