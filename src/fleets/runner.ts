import { setTimeout as sleep } from 'node:timers/promises';
import { yieldLowPriority } from '../households/time-slicer.ts';
import type { YieldToEventLoop } from '../households/time-slicer.ts';
import { pauseForOthers } from '../loops/pause-for-others.ts';
import { PollingLoop } from '../loops/polling-loop.ts';
import { findNextConditionChangeAt } from '../queries/fleets/planned-conditions.ts';
import { buildMissingHouseholds } from '../simulation/household/missing-households.ts';
import { applyDueChargeChecks } from './charge-checks.ts';
import { advanceCheckpoints } from './checkpoints.ts';
import type { CheckpointWorkContext } from './checkpoints.ts';
import { applyDueChanges } from './due-changes.ts';
import type { DueFaultsOptions } from './due-faults.ts';
import { repeatPass } from './due-work.ts';
import type { DueWorkOptions, Pass } from './due-work.ts';
import { FleetLanes } from './fleet-lanes.ts';
import type { BuildHouseholds, ProvisioningContext } from './provisioning.ts';
import { removeLeftUsers } from './purge.ts';

/** Hears of work given by other processes; the answer ends it. */
export type ListenForWork = (wake: () => void) => Promise<() => Promise<void>>;

type OnError = (error: unknown) => void;

export interface FleetRunnerOptions extends Omit<DueFaultsOptions, 'pause'> {
  /** Deliveries may have been written. */
  readonly wakeDispatcher: (orgIds: readonly string[]) => void;
  readonly onError: OnError;
  readonly listen?: ListenForWork;
  /** Computes households elsewhere; in the event loop by default. */
  readonly buildHouseholds?: BuildHouseholds;
  /** How long a dead worker's fleet waits for another one. */
  readonly leaseMs?: number;
  /** Resolves after so many milliseconds, or once the signal is aborted; by the timers of the process by default. */
  readonly wait?: (waitMs: number, signal: AbortSignal) => Promise<unknown>;
  /** Fleets worked on at once in this process. */
  readonly lanes?: number;
  /** Behind a batch of what is built, removed or told; five milliseconds by default. */
  readonly pause?: () => Promise<unknown>;
  /** Turns of the event loop for what computes; those of background work by default. */
  readonly yieldToEventLoop?: YieldToEventLoop;
}

/** The tables are polled at least this often: wake-ups may be lost, and leases of dead workers run out. */
const POLL_INTERVAL_MS = 1_000;
/** How often a claim is renewed in its lease while something is computed: it outlives two renewals that the database does not take. */
const RENEWALS_OF_A_LEASE = 3;
/** What is due and cannot be done yet, since somebody else is at it, is looked at again after this. */
const SHORTEST_POLL_MS = 50;

const waitHere = (waitMs: number, signal: AbortSignal): Promise<unknown> =>
  sleep(waitMs, undefined, { signal }).catch(() => undefined);

const buildHere: BuildHouseholds = (_partnerId, question) =>
  Promise.resolve(buildMissingHouseholds(question));

/**
 * Does the work on fleets: builds households, removes purged fleets, lets planned conditions begin and end, moves
 * checkpoints on.
 *
 *   idle -> running (start) -> stopped (destroy)
 *
 * Each kind of work has a loop of its own, so that none waits for another: conditions, which are punctual, neither for a fleet
 * that is built or removed nor for what computes and gives way to requests (checkpoints, which are moved on one fleet at a
 * time, since an old fleet's take minutes, and cars that charge by price). A loop works until there is nothing to do, then sleeps until a
 * wake-up, the poll or the next planned condition. Runners of several processes share the work by claims and locks.
 */
export class FleetRunner {
  readonly #options: FleetRunnerOptions;
  readonly #context: CheckpointWorkContext & ProvisioningContext & DueWorkOptions;
  readonly #lanes: FleetLanes;
  readonly #fleets: PollingLoop;
  readonly #conditions: PollingLoop;
  /** What no wake-up tells of. */
  readonly #others: readonly PollingLoop[];
  #isStopped = false;
  /** The partner whose checkpoints had the last turn, also when it failed. */
  #servedWithCheckpoints: string | undefined;
  #unlisten: (() => Promise<void>) | undefined;

  constructor(options: FleetRunnerOptions) {
    const { now, onError, leaseMs = 10_000, wait = waitHere } = options;
    this.#options = options;
    this.#context = {
      ...options,
      leaseUntil: () => new Date(now().getTime() + leaseMs),
      untilRenewal: (signal) => wait(leaseMs / RENEWALS_OF_A_LEASE, signal),
      isStopping: () => this.#isStopped,
      pause: options.pause ?? pauseForOthers,
      buildHouseholds: options.buildHouseholds ?? buildHere,
      yieldToEventLoop: options.yieldToEventLoop ?? yieldLowPriority,
      elapsedMs: () => performance.now(),
    };
    const [context, onFree] = [this.#context, () => this.#fleets.wake()];
    this.#lanes = new FleetLanes({ context, lanes: options.lanes ?? 3, onFree, onError });
    this.#fleets = this.#loop(() => this.#lanes.fill());
    this.#conditions = this.#loop(
      () => this.#changeConditions(onError),
      () => this.#untilNextChange(),
    );
    this.#others = [
      this.#loop(() => this.#lanes.releaseAbandoned()),
      this.#loop(() => this.#removeLeftUsers(onError)),
      this.#loop(() => this.#applyChargeChecks(onError)),
      this.#loop(() => this.#advanceCheckpoints()),
    ];
  }

  async start(): Promise<void> {
    this.#unlisten = await this.#options.listen?.(() => this.wake());
    for (const loop of this.#allLoops()) loop.start();
  }

  /** Polls now, since fleets may have work. Cheap, also when called often. */
  wake(): void {
    this.#fleets.wake();
    this.#conditions.wake();
  }

  /** Does everything that is due now; for tests and tools. Rejects with the first error of what was due. */
  async processAll(): Promise<void> {
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    const works = [
      () => this.#lanes.releaseAbandoned(),
      () => this.#lanes.processAll(),
      () => this.#removeLeftUsers(onError),
      () => this.#changeConditions(onError),
      () => this.#applyChargeChecks(onError),
      () => this.#advanceCheckpoints(),
    ];
    for (const work of works) await work().catch(onError);
    if (errors.length > 0) throw errors[0];
  }

  /** Claims no more, finishes the work that has begun and releases its claims. */
  async destroy(): Promise<void> {
    this.#isStopped = true;
    const ended = Promise.all(this.#allLoops().map((loop) => loop.stop()));
    await this.#unlisten?.();
    await ended;
    await this.#lanes.waitUntilFree();
  }

  #allLoops(): readonly PollingLoop[] {
    return [this.#fleets, this.#conditions, ...this.#others];
  }

  #loop(work: () => Promise<void>, nextRoundMs = () => Promise.resolve(POLL_INTERVAL_MS)): PollingLoop {
    return new PollingLoop({ work, nextRoundMs, retryMs: POLL_INTERVAL_MS, onError: this.#options.onError });
  }

  #removeLeftUsers(onError: OnError): Promise<void> {
    return this.#repeat(
      () => removeLeftUsers(this.#context),
      onError,
      () => undefined,
    );
  }

  #changeConditions(onError: OnError): Promise<void> {
    return this.#repeat(() => applyDueChanges(this.#context), onError);
  }

  #applyChargeChecks(onError: OnError): Promise<void> {
    return this.#repeat(() => applyDueChargeChecks(this.#context), onError);
  }

  #repeat(
    pass: () => Promise<Pass>,
    onError: OnError,
    tell: (changed: readonly string[]) => void = this.#options.wakeDispatcher,
  ): Promise<void> {
    return repeatPass({ pass, isStopping: this.#context.isStopping, tell, onError });
  }

  async #advanceCheckpoints(): Promise<void> {
    const remember = (partnerId: string): void => {
      this.#servedWithCheckpoints = partnerId;
    };
    while (!this.#isStopped) {
      const served = await advanceCheckpoints(this.#context, this.#servedWithCheckpoints, remember);
      if (served === undefined) break;
    }
  }

  async #untilNextChange(): Promise<number> {
    const next = await findNextConditionChangeAt(this.#options.db);
    if (next === undefined) return POLL_INTERVAL_MS;
    const untilNextMs = next.getTime() - this.#options.now().getTime();
    return Math.min(POLL_INTERVAL_MS, Math.max(SHORTEST_POLL_MS, untilNextMs));
  }
}
