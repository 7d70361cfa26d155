import { PollingLoop } from '../loops/polling-loop.ts';
import type { Db } from '../queries/connection/database.ts';
import { findNextDeliveryDueInMs } from '../queries/deliveries/deliveries.ts';
import type { ClaimedDelivery } from '../queries/deliveries/delivery-queue.ts';
import { releaseLeases, releaseAbandonedDeliveryLeases } from '../queries/deliveries/in-flight-slots.ts';
import {
  cancelUnwantedDeliveries,
  recordFinishedAttempts,
  type FinishedAttempt,
} from '../queries/deliveries/delivery-results.ts';
import type { WorkerPresence } from '../queries/connection/worker-presence.ts';
import { runAttempt, type AttemptContext, type AttemptOptions } from './attempt.ts';
import { AttemptRecorder } from './attempt-recorder.ts';
import { Beginnings } from './beginnings.ts';
import { Claimer } from './claimer.ts';
import { LeftDeliveries } from './left-deliveries.ts';
import { SlotClaims } from './kept-slots.ts';
import type { Lanes } from './queue-reader.ts';
import { SecretReader } from './secret-reader.ts';

/** Starts to call `wake` when other processes write deliveries; the returned function ends it. */
export type ListenForDeliveries = (wake: () => void) => Promise<() => Promise<void>>;

/** Each limit counts attempts in flight at one time. */
export interface DispatcherOptions extends AttemptOptions {
  readonly db: Db;
  readonly listen?: ListenForDeliveries;
  /** Shows the other workers that this one lives; without it they only see its leases expire. */
  readonly presence?: () => Promise<WorkerPresence>;
  readonly leaseMs?: number;
  /** The slots of this process for first attempts and for retries. */
  readonly slots?: Lanes;
  /** For one webhook, over all processes. */
  readonly perWebhook?: number;
  /** For one partner with all its organizations, over all processes. */
  readonly perPartner?: number;
  /** How long a stop waits for the attempts in flight. */
  readonly graceMs?: number;
  /** Milliseconds that never run backwards: how long a turn of the event loop has begun attempts. */
  readonly monotonicMs?: () => number;
}

const DEFAULT_LEASE_MS = 20_000;
const DEFAULT_SLOTS = { first: 256, retry: 64 };
const DEFAULT_PER_WEBHOOK = 16;
const DEFAULT_PER_PARTNER = 512;
const DEFAULT_GRACE_MS = 8_000;
/** The queue is read at least this often, in case a wake-up is lost. */
const POLL_MS = 1_000;
/** The shortest time between two reads of the queue without a wake-up, and how often workers that died are looked for. */
const SHORTEST_POLL_MS = 100;
/** Expired leases are released in every tenth round of the search for workers that died: they are not urgent. */
const ROUNDS_PER_EXPIRY_CHECK = 10;

/**
 * Delivers what is due: claims, calls, records. A slot that becomes free is filled again at once, so that a slow
 * endpoint delays no other.
 *
 *   idle -> running (start) -> stopped (stop)
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #attempts: AttemptContext;
  readonly #claimer: Claimer;
  readonly #leaseMs: number;
  readonly #slots: Lanes;
  readonly #limits: { readonly perWebhook: number; readonly perPartner: number };
  readonly #recorder: AttemptRecorder;
  readonly #beginnings: Beginnings;
  /** Attempts in flight, those that wait to begin among them. */
  readonly #inFlight = new Map<ClaimedDelivery, Promise<void>>();
  readonly #claimLoop: PollingLoop;
  readonly #releaseLoop: PollingLoop;
  readonly #left: LeftDeliveries;
  readonly #claims: SlotClaims;
  #isStopped = false;
  #claiming: Promise<number> | undefined;
  #releaseRounds = 0;
  #nextDueReadAtMs = -SHORTEST_POLL_MS;
  #presence: WorkerPresence | undefined;
  #unlisten: (() => Promise<void>) | undefined;

  /** Throws a RangeError unless a lease is longer than the deadline of an attempt: else two workers could send at once. */
  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#attempts = { ...options, secrets: new SecretReader(options.keyring) };
    this.#claimer = new Claimer(options.db);
    this.#leaseMs = options.leaseMs ?? DEFAULT_LEASE_MS;
    this.#slots = options.slots ?? DEFAULT_SLOTS;
    this.#limits = {
      perWebhook: options.perWebhook ?? DEFAULT_PER_WEBHOOK,
      perPartner: options.perPartner ?? DEFAULT_PER_PARTNER,
    };
    if (this.#leaseMs <= options.client.deadlineMs) {
      const deadline = `the deadline of an attempt (${options.client.deadlineMs} ms)`;
      throw new RangeError(`The lease (${this.#leaseMs} ms) must be longer than ${deadline}.`);
    }
    this.#claims = new SlotClaims({
      slots: this.#slots,
      limits: this.#limits,
      freeSlots: () => this.#freeSlots(),
      claim: (limits, cursor) => {
        const terms = { workerId: this.#presence?.workerId ?? 0, leaseMs: this.#leaseMs };
        return this.#claimer.claim(limits, terms, cursor);
      },
      start: (deliveries, startedAt) => this.#startAttempts(deliveries, startedAt),
      now: options.now,
    });
    const { onError } = options;
    this.#recorder = new AttemptRecorder((attempts) => this.#record(attempts), onError);
    this.#beginnings = new Beginnings(options.monotonicMs);
    this.#claimLoop = new PollingLoop({
      work: () => this.#drainQueue(),
      nextRoundMs: () => this.#untilNextDueMs(),
      retryMs: SHORTEST_POLL_MS,
      onError,
    });
    this.#releaseLoop = new PollingLoop({
      work: () => this.#releaseAbandonedLeases(),
      nextRoundMs: () => SHORTEST_POLL_MS,
      retryMs: SHORTEST_POLL_MS,
      onError,
    });
    this.#left = new LeftDeliveries(options);
  }

  /** Rejects when the presence or the channel of other processes cannot be had. */
  async start(): Promise<void> {
    this.#presence = await this.#options.presence?.();
    this.#unlisten = await this.#options.listen?.(() => this.wake());
    this.#releaseLoop.start(SHORTEST_POLL_MS);
    this.#left.start();
    this.#claimLoop.start();
  }

  /** Deliveries may be due: reads the queue now. Cheap, also when called often. */
  wake(): void {
    this.#claimLoop.wake();
  }

  /** Cancels what was left, and delivers everything that is due or becomes due meanwhile, without `start`; for tests and tools. */
  async processAll(): Promise<void> {
    await this.#left.processAll();
    for (;;) {
      await releaseAbandonedDeliveryLeases(this.#options.db, []);
      const claimed = await this.#drainQueue();
      const inFlight = [...this.#inFlight.values()];
      if (claimed === 0 && inFlight.length === 0) return;
      if (inFlight.length > 0) await Promise.race(inFlight);
    }
  }

  /** Claims no more, waits for the attempts in flight and releases the leases of those that take too long. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([this.#releaseLoop.stop(), this.#claimLoop.stop(), this.#left.stop()]);
    await this.#unlisten?.();
    await this.#claiming?.catch(() => undefined);
    this.#recorder.close();
    const ended = Promise.all(this.#inFlight.values());
    const grace = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => grace.resolve(undefined), this.#options.graceMs ?? DEFAULT_GRACE_MS);
    await Promise.race([ended, grace.promise]);
    clearTimeout(timer);
    await releaseLeases(this.#options.db, [...this.#inFlight.keys()]);
    await this.#presence?.stop();
  }

  async #releaseAbandonedLeases(): Promise<void> {
    const { db, metrics } = this.#options;
    const absent = (await this.#presence?.listAbsentWorkers()) ?? [];
    this.#releaseRounds += 1;
    if (absent.length === 0 && this.#releaseRounds % ROUNDS_PER_EXPIRY_CHECK !== 0) return;
    const released = await releaseAbandonedDeliveryLeases(db, absent);
    if (released === 0) return;
    metrics.leasesReleased(released);
    this.wake();
  }

  /** Milliseconds until the queue is read again unless woken; while wake-ups are frequent the database is not asked. */
  async #untilNextDueMs(): Promise<number> {
    const at = performance.now();
    if (at - this.#nextDueReadAtMs < SHORTEST_POLL_MS) return SHORTEST_POLL_MS;
    this.#nextDueReadAtMs = at;
    const untilDueMs = (await findNextDeliveryDueInMs(this.#options.db)) ?? POLL_MS;
    // What is due and not claimed waits for a slot: an attempt that ends in this process wakes the loop, elsewhere none does.
    return Math.min(Math.max(untilDueMs, SHORTEST_POLL_MS), POLL_MS);
  }

  /** Claims for the free slots; returns the number of deliveries. One claim at a time. */
  async #drainQueue(): Promise<number> {
    while (this.#claiming !== undefined) await this.#claiming.catch(() => undefined);
    const claiming = this.#claims.claimUntilFull();
    this.#claiming = claiming;
    try {
      return await claiming;
    } finally {
      this.#claiming = undefined;
    }
  }

  #freeSlots(): Lanes {
    if (this.#isStopped || this.#presence?.isConnected() === false) return { first: 0, retry: 0 };
    const retries = [...this.#inFlight.keys()].filter(({ attempts }) => attempts > 0).length;
    return {
      first: this.#slots.first - (this.#inFlight.size - retries),
      retry: this.#slots.retry - retries,
    };
  }

  async #startAttempts(deliveries: readonly ClaimedDelivery[], startedAt: Date): Promise<void> {
    const unwanted: ClaimedDelivery[] = [];
    for (const delivery of deliveries) {
      if (delivery.unwanted === null) this.#startAttempt(delivery, startedAt);
      else unwanted.push(delivery);
    }
    // The next claim comes when all have begun: many small ones would cost more.
    await this.#beginnings.wait();
    if (unwanted.length === 0) return;
    await cancelUnwantedDeliveries(this.#options.db, unwanted, startedAt);
    for (const { unwanted: reason } of unwanted)
      if (reason !== null) this.#options.metrics.deliveriesCancelled(reason, 1);
  }

  #startAttempt(delivery: ClaimedDelivery, startedAt: Date): void {
    const ended = this.#runAndRecord(delivery, startedAt)
      .catch((error: unknown) => this.#options.onError(error))
      .finally(() => {
        this.#inFlight.delete(delivery);
        this.wake();
      });
    this.#inFlight.set(delivery, ended);
  }

  async #runAndRecord(delivery: ClaimedDelivery, startedAt: Date): Promise<void> {
    await this.#beginnings.wait();
    await this.#recorder.record(await runAttempt(this.#attempts, delivery, startedAt));
  }

  async #record(attempts: readonly FinishedAttempt[]): Promise<void> {
    const { db, now, metrics } = this.#options;
    const recorded = await recordFinishedAttempts(db, attempts, now());
    for (const state of ['delivered', 'exhausted'] as const) {
      const count = recorded.filter((each) => each.state === state).length;
      if (count > 0) metrics.deliveriesFinished(state, count);
    }
    if (recorded.length < attempts.length) metrics.resultsSuperseded(attempts.length - recorded.length);
  }
}
