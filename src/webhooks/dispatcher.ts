import { PollingLoop } from '../loops/polling-loop.ts';
import type { Db } from '../queries/connection/database.ts';
import { findNextDeliveryDueAt } from '../queries/deliveries/deliveries.ts';
import {
  claimDeliveries,
  type ClaimCursor,
  type ClaimedDelivery,
} from '../queries/deliveries/delivery-queue.ts';
import { releaseLeases, releaseAbandonedLeases } from '../queries/deliveries/in-flight-slots.ts';
import {
  cancelUnwantedDeliveries,
  recordFinishedAttempts,
  type FinishedAttempt,
} from '../queries/deliveries/delivery-results.ts';
import type { WorkerPresence } from '../queries/connection/worker-presence.ts';
import { attempt, type AttemptOptions } from './attempt.ts';
import { Recorder } from './recorder.ts';

/** Hears of deliveries written by other processes; the answer ends it. */
export type Listen = (wake: () => void) => Promise<() => Promise<void>>;

export interface DispatcherOptions extends AttemptOptions {
  readonly db: Db;
  readonly listen?: Listen;
  /** Shows the other workers that this one lives; without it leases alone tell. */
  readonly presence?: () => Promise<WorkerPresence>;
  readonly leaseMs?: number;
  /** Attempts under way at once in this process: first ones and retries. */
  readonly places?: { readonly first: number; readonly retry: number };
  /** Attempts under way at once for one webhook, over all processes. */
  readonly perWebhook?: number;
  /** Attempts under way at once for one organization, over all processes. */
  readonly perOrganization?: number;
  /** How long a stop waits for the attempts under way. */
  readonly graceMs?: number;
}

/** The table is looked at this often at least, should a wake-up be lost. */
const pollMs = 1_000;
/** How often leases of dead workers are looked for (one dead is found at the second look), and due rows again. */
const watchMs = 100;
const defaultGraceMs = 8_000;

/**
 * Delivers what is due: claims, calls, records. A place that becomes free is filled again at once, so
 * that a slow endpoint holds back none but itself.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #leaseMs: number;
  readonly #places: { readonly first: number; readonly retry: number };
  readonly #caps: { readonly perWebhook: number; readonly perOrganization: number };
  readonly #recorder: Recorder;
  readonly #underWay = new Map<string, { delivery: ClaimedDelivery; ended: Promise<void> }>();
  readonly #loop: PollingLoop;
  readonly #watch: PollingLoop;
  #isStopped = false;
  #filling: Promise<number> | undefined;
  #looks = 0;
  #askedAtMs = -watchMs;
  #cursor: ClaimCursor = {};
  #presence: WorkerPresence | undefined;
  #unlisten: (() => Promise<void>) | undefined;

  /** Throws unless a lease outlasts the deadline of an attempt: else two workers could send at once. */
  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? 20_000;
    this.#places = options.places ?? { first: 256, retry: 64 };
    this.#caps = {
      perWebhook: options.perWebhook ?? 16,
      perOrganization: options.perOrganization ?? 512,
    };
    if (this.#leaseMs <= options.exchange.deadlineMs) {
      const deadline = `the deadline of an attempt (${options.exchange.deadlineMs} ms)`;
      throw new RangeError(`The lease (${this.#leaseMs} ms) must be longer than ${deadline}.`);
    }
    const { onError } = options;
    this.#recorder = new Recorder((attempts) => this.#write(attempts), onError);
    this.#loop = new PollingLoop({
      work: () => this.#fill(),
      nextRoundMs: () => this.#untilDueMs(),
      retryMs: watchMs,
      onError,
    });
    // From time to time makes due again what dead workers held and what has outlasted its lease.
    this.#watch = new PollingLoop({
      work: () => this.#releaseLost(),
      nextRoundMs: () => watchMs,
      retryMs: watchMs,
      onError,
    });
  }

  async start(): Promise<void> {
    this.#presence = await this.#options.presence?.();
    this.#unlisten = await this.#options.listen?.(() => this.wake());
    this.#watch.start(watchMs);
    this.#loop.start();
  }

  /** Deliveries may be due: look now. Cheap, also when called often. */
  wake(): void {
    this.#loop.wake();
  }

  /** Delivers everything that is due and everything that becomes due meanwhile; for tests and tools. */
  async processAll(): Promise<void> {
    for (;;) {
      await releaseAbandonedLeases(this.#options.db, [], this.#options.now());
      const claimed = await this.#fill();
      const underWay = [...this.#underWay.values()];
      if (claimed === 0 && underWay.length === 0) return;
      if (underWay.length > 0) await Promise.race(underWay.map(({ ended }) => ended));
    }
  }

  /** Claims no more, waits for the attempts under way and gives back the leases of those that take too long. */
  async destroy(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([this.#watch.stop(), this.#loop.stop()]);
    await this.#unlisten?.();
    await this.#filling?.catch(() => undefined);
    this.#recorder.close();
    const ended = Promise.all([...this.#underWay.values()].map((each) => each.ended));
    const grace = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => grace.resolve(undefined), this.#options.graceMs ?? defaultGraceMs);
    await Promise.race([ended, grace.promise]);
    clearTimeout(timer);
    const left = [...this.#underWay.values()].map(({ delivery }) => delivery);
    await releaseLeases(this.#options.db, left);
    await this.#presence?.stop();
  }

  async #releaseLost(): Promise<void> {
    const { db, now, metrics } = this.#options;
    const absent = (await this.#presence?.listAbsentWorkers()) ?? [];
    // Leases that are merely over need no hurry.
    this.#looks += 1;
    if (absent.length === 0 && this.#looks % 10 !== 0) return;
    const released = await releaseAbandonedLeases(db, absent, now());
    if (released === 0) return;
    metrics.reclaimed(released);
    this.wake();
  }

  /** When to look again unless woken; while it is woken often, soon, without asking the database. */
  async #untilDueMs(): Promise<number> {
    const at = performance.now();
    if (at - this.#askedAtMs < watchMs) return watchMs;
    this.#askedAtMs = at;
    const dueAt = await findNextDeliveryDueAt(this.#options.db);
    const untilDueMs = dueAt === undefined ? pollMs : dueAt.getTime() - this.#options.now().getTime();
    // What is due and was not claimed waits for a place: a finish in this process wakes the loop, in another none does.
    return Math.min(Math.max(untilDueMs, watchMs), pollMs);
  }

  /** Claims for the free places; tells how many rows came. One claim at a time. */
  async #fill(): Promise<number> {
    while (this.#filling !== undefined) await this.#filling.catch(() => undefined);
    const filling = this.#claim();
    this.#filling = filling;
    try {
      return await filling;
    } finally {
      this.#filling = undefined;
    }
  }

  /** Looks at each lane until it is full or all its webhooks have been seen. */
  async #claim(): Promise<number> {
    const { db, now } = this.#options;
    const ends = { first: 0, retry: 0 };
    let claimed = 0;
    for (;;) {
      const retries = [...this.#underWay.values()].filter(({ delivery }) => delivery.attempts > 0).length;
      const first = ends.first < 2 ? this.#places.first - (this.#underWay.size - retries) : 0;
      const retry = ends.retry < 2 ? this.#places.retry - retries : 0;
      const mayClaim = !this.#isStopped && this.#presence?.isConnected() !== false;
      if ((first <= 0 && retry <= 0) || !mayClaim) return claimed;
      const startedAt = now();
      const until = new Date(startedAt.getTime() + this.#leaseMs);
      const lease = { workerId: this.#presence?.workerId ?? 0, now: startedAt, until };
      const claim = await claimDeliveries(db, { first, retry, ...this.#caps }, lease, this.#cursor);
      for (const lane of ['first', 'retry'] as const) {
        // From the start to the end is the whole; from the middle, the end must come twice.
        if (!claim.hasMore[lane] && claim.nextCursor[lane] === undefined)
          ends[lane] += this.#cursor[lane] === undefined ? 2 : 1;
      }
      this.#cursor = claim.nextCursor;
      claimed += claim.deliveries.length;
      await this.#take(claim.deliveries, startedAt);
    }
  }

  async #take(deliveries: readonly ClaimedDelivery[], startedAt: Date): Promise<void> {
    const unwanted: ClaimedDelivery[] = [];
    for (const delivery of deliveries) {
      if (delivery.unwanted === null) this.#begin(delivery, startedAt);
      else unwanted.push(delivery);
    }
    if (unwanted.length === 0) return;
    await cancelUnwantedDeliveries(this.#options.db, unwanted, startedAt);
    for (const { unwanted: reason } of unwanted)
      if (reason !== null) this.#options.metrics.cancelled(reason, 1);
  }

  #begin(delivery: ClaimedDelivery, startedAt: Date): void {
    const ended = this.#attempt(delivery, startedAt)
      .catch((error: unknown) => this.#options.onError(error))
      .finally(() => {
        this.#underWay.delete(delivery.lease_token);
        this.wake();
      });
    this.#underWay.set(delivery.lease_token, { delivery, ended });
  }

  async #attempt(delivery: ClaimedDelivery, startedAt: Date): Promise<void> {
    await this.#recorder.record(await attempt(this.#options, delivery, startedAt));
  }

  async #write(attempts: readonly FinishedAttempt[]): Promise<void> {
    const { db, now, metrics } = this.#options;
    const finished = await recordFinishedAttempts(db, attempts, now());
    for (const state of ['delivered', 'exhausted'] as const) {
      const count = finished.filter((each) => each.state === state).length;
      if (count > 0) metrics.finished(state, count);
    }
    if (finished.length < attempts.length) metrics.superseded(attempts.length - finished.length);
  }
}
