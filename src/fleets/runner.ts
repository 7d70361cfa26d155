import { yieldLowPriority } from '../households/time-slicer.ts';
import type { YieldToEventLoop } from '../households/time-slicer.ts';
import { PollingLoop } from '../loops/polling-loop.ts';
import { isDatabaseUnavailable } from '../queries/connection/database.ts';
import type { Db } from '../queries/connection/database.ts';
import { claimFleet, releaseFleetClaim } from '../queries/fleets/fleet-work.ts';
import type { ClaimedFleet } from '../queries/fleets/fleet-work.ts';
import { findNextConditionChangeAt } from '../queries/fleets/planned-conditions.ts';
import { advanceOldestCheckpoints } from './checkpoints.ts';
import type { CheckpointWorkContext } from './checkpoints.ts';
import { applyDueFaults } from './due-faults.ts';
import { recordProvisioningFailure, provisionFleet } from './provisioning.ts';
import { purgeFleetInBatches } from './purge.ts';

/** Hears of work given by other processes; the answer ends it. */
export type ListenForWork = (wake: () => void) => Promise<() => Promise<void>>;

export interface FleetRunnerOptions {
  readonly db: Db;
  readonly now: () => Date;
  /** Whether devices get conditions by themselves. */
  readonly simulatorFaults: boolean;
  /** Deliveries may have been written. */
  readonly wakeDispatcher: () => void;
  readonly onError: (error: unknown) => void;
  readonly listen?: ListenForWork;
  /** How long a dead worker's fleet waits for another one. */
  readonly leaseMs?: number;
  /** Fleets worked on at once in this process. */
  readonly lanes?: number;
  /** Turns of the event loop for checkpoints; those that no request needs by default. */
  readonly yieldToEventLoop?: YieldToEventLoop;
}

/** The tables are polled at least this often: wake-ups may be lost, and leases of dead workers run out. */
const POLL_INTERVAL_MS = 1_000;

/**
 * Does the work on fleets: builds households, removes purged fleets, lets planned conditions begin and end, moves
 * checkpoints on.
 *
 *   idle -> running (start) -> stopped (destroy)
 *
 * While running, one round at a time: work until there is none, then sleep until the next planned condition, a
 * wake-up or the poll. Checkpoints are moved on beside the rounds, one fleet at a time: an old fleet's take minutes.
 */
export class FleetRunner {
  readonly #options: FleetRunnerOptions;
  readonly #context: CheckpointWorkContext;
  readonly #loop: PollingLoop;
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
    const lanes = Array.from({ length: this.#options.lanes ?? 3 }, () => this.#drainQueue());
    await Promise.all(lanes);
    await this.#applyDueFaults();
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

  async #drainQueue(): Promise<void> {
    while (!this.#isStopped) {
      const claim = await claimFleet(this.#options.db, this.#options.now(), this.#context.leaseUntil());
      if (claim === undefined) return;
      await this.#work(claim);
    }
  }

  /** An error of the database leaves the claim to run out, so that the work is tried again a little later. */
  async #work(claim: ClaimedFleet): Promise<void> {
    const { db, now, onError } = this.#options;
    try {
      await (claim.status === 'purging'
        ? purgeFleetInBatches(this.#context, claim)
        : provisionFleet(this.#context, claim));
    } catch (error) {
      onError(error);
      if (claim.status === 'purging' || isDatabaseUnavailable(error)) return;
      await db.transaction().execute((tx) => recordProvisioningFailure(tx, claim, reasonOf(error), now()));
    }
    if (this.#isStopped) await releaseFleetClaim(db, claim);
  }

  async #applyDueFaults(): Promise<void> {
    const { db, now, simulatorFaults, wakeDispatcher } = this.#options;
    if (!simulatorFaults) return;
    while (!this.#isStopped && (await applyDueFaults(db, now()))) wakeDispatcher();
  }

  async #advanceCheckpoints(): Promise<void> {
    while (!this.#isStopped && (await advanceOldestCheckpoints(this.#context)));
  }

  async #untilNextChange(): Promise<number> {
    if (!this.#options.simulatorFaults) return POLL_INTERVAL_MS;
    const next = await findNextConditionChangeAt(this.#options.db);
    if (next === undefined) return POLL_INTERVAL_MS;
    return Math.min(POLL_INTERVAL_MS, Math.max(50, next.getTime() - this.#options.now().getTime()));
  }
}

/** What the fleet's record says: no more than a partner may know. */
function reasonOf(error: unknown): string {
  const detail = error instanceof RangeError ? ` ${error.message}` : '';
  return `The households could not be created.${detail}`;
}
