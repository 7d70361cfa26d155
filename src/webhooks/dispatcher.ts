import { describeOutcome, errorClass, nextAttemptAt } from '../domain/retry.ts';
import { open, webhookContext, type Keyring } from '../domain/sealed.ts';
import type { Db } from '../queries/database.ts';
import { findNextDueAt } from '../queries/deliveries.ts';
import {
  claimDeliveries,
  dropDeliveries,
  finishDeliveries,
  releaseDeliveries,
  type ClaimedDelivery,
  type FinishedAttempt,
} from '../queries/delivery-queue.ts';
import { deliver } from './deliver.ts';
import type { Exchange, Exchanged } from './exchange.ts';
import type { DeliveryMetrics } from './metrics.ts';
import { Recorder } from './recorder.ts';

/** Hears of deliveries written by other processes; the answer ends it. */
export type Listen = (wake: () => void) => Promise<() => Promise<void>>;

export interface DispatcherOptions {
  readonly db: Db;
  readonly exchange: Exchange;
  readonly keyring: Keyring;
  readonly now: () => Date;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly metrics: DeliveryMetrics;
  readonly onError: (error: unknown) => void;
  readonly listen?: Listen;
  readonly hasStandardHeaders?: boolean;
  readonly leaseMs?: number;
  /** Attempts under way at once in this process: first ones and retries. */
  readonly places?: { readonly first: number; readonly retry: number };
  /** Attempts under way at once for one webhook, over all processes. */
  readonly perWebhook?: number;
  /** How long a stop waits for the attempts under way. */
  readonly graceMs?: number;
}

/** The table is looked at this often at least, should a wake-up be lost. */
const pollMs = 1_000;
const defaultGraceMs = 8_000;

/**
 * Delivers what is due: claims, calls, records. A place that becomes free is filled again at once, so
 * that a slow endpoint holds back none but itself.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #leaseMs: number;
  readonly #places: { readonly first: number; readonly retry: number };
  readonly #perWebhook: number;
  readonly #recorder: Recorder;
  readonly #underWay = new Map<string, { delivery: ClaimedDelivery; ended: Promise<void> }>();
  #state: 'idle' | 'running' | 'stopped' = 'idle';
  #filling: Promise<number> | undefined;
  #isLooping = false;
  #isWoken = false;
  #timer: NodeJS.Timeout | undefined;
  #unlisten: (() => Promise<void>) | undefined;

  /** Throws unless a lease outlasts the deadline of an attempt: else two workers could send at once. */
  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? 20_000;
    this.#places = options.places ?? { first: 192, retry: 64 };
    this.#perWebhook = options.perWebhook ?? 16;
    if (this.#leaseMs <= options.exchange.deadlineMs) {
      const deadline = `the deadline of an attempt (${options.exchange.deadlineMs} ms)`;
      throw new RangeError(`The lease (${this.#leaseMs} ms) must be longer than ${deadline}.`);
    }
    this.#recorder = new Recorder((attempts) => this.#write(attempts), options.onError);
  }

  async start(): Promise<void> {
    this.#state = 'running';
    this.#unlisten = await this.#options.listen?.(() => this.wake());
    this.wake();
  }

  /** Deliveries may be due: look now. Cheap, also when called often. */
  wake(): void {
    if (this.#state !== 'running') return;
    this.#isWoken = true;
    if (!this.#isLooping) void this.#loop();
  }

  /** Delivers everything that is due and everything that becomes due meanwhile; for tests and tools. */
  async processAll(): Promise<void> {
    for (;;) {
      const claimed = await this.#fill();
      const underWay = [...this.#underWay.values()];
      if (claimed === 0 && underWay.length === 0) return;
      if (underWay.length > 0) await Promise.race(underWay.map(({ ended }) => ended));
    }
  }

  /** Claims no more, waits for the attempts under way and gives back the leases of those that take too long. */
  async destroy(): Promise<void> {
    this.#state = 'stopped';
    clearTimeout(this.#timer);
    await this.#unlisten?.();
    await this.#filling?.catch(() => undefined);
    this.#recorder.close();
    const ended = Promise.all([...this.#underWay.values()].map((each) => each.ended));
    const grace = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => grace.resolve(undefined), this.#options.graceMs ?? defaultGraceMs);
    await Promise.race([ended, grace.promise]);
    clearTimeout(timer);
    const left = [...this.#underWay.values()].map(({ delivery }) => delivery);
    await releaseDeliveries(this.#options.db, left, this.#options.now());
  }

  async #loop(): Promise<void> {
    this.#isLooping = true;
    clearTimeout(this.#timer);
    let waitMs = pollMs;
    try {
      while (this.#isWoken && this.#state === 'running') {
        this.#isWoken = false;
        await this.#fill();
      }
      const dueAt = await findNextDueAt(this.#options.db);
      const untilDueMs = dueAt === undefined ? pollMs : dueAt.getTime() - this.#options.now().getTime();
      // What is due and was not claimed waits for a place: its webhook's next finish wakes the loop.
      if (untilDueMs > 0) waitMs = Math.min(untilDueMs, pollMs);
    } catch (error) {
      this.#options.onError(error);
    }
    this.#isLooping = false;
    if (this.#state === 'running') this.#timer = setTimeout(() => this.wake(), this.#isWoken ? 0 : waitMs);
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

  async #claim(): Promise<number> {
    const retries = [...this.#underWay.values()].filter(({ delivery }) => delivery.attempts > 0).length;
    const first = this.#places.first - (this.#underWay.size - retries);
    const retry = this.#places.retry - retries;
    if ((first <= 0 && retry <= 0) || this.#state === 'stopped') return 0;
    const { db } = this.#options;
    const now = this.#options.now();
    const leaseUntil = new Date(now.getTime() + this.#leaseMs);
    const claimed = await claimDeliveries(
      db,
      { first, retry, perWebhook: this.#perWebhook },
      now,
      leaseUntil,
    );
    const unwanted = claimed.filter((delivery) => delivery.unwanted !== null);
    for (const delivery of claimed) if (delivery.unwanted === null) this.#begin(delivery);
    if (unwanted.length > 0) await dropDeliveries(db, unwanted, now);
    for (const { unwanted: reason } of unwanted)
      if (reason !== null) this.#options.metrics.dropped(reason, 1);
    return claimed.length;
  }

  #begin(delivery: ClaimedDelivery): void {
    const ended = this.#attempt(delivery)
      .catch((error: unknown) => this.#options.onError(error))
      .finally(() => {
        this.#underWay.delete(delivery.lease_token);
        this.wake();
      });
    this.#underWay.set(delivery.lease_token, { delivery, ended });
  }

  async #attempt(delivery: ClaimedDelivery): Promise<void> {
    const { keyring, now, metrics } = this.#options;
    const startedAt = now();
    const exchanged = await deliver(
      this.#options,
      {
        url: delivery.url,
        messageId: delivery.message_id,
        body: delivery.payload,
        secret: open(keyring, delivery.secret, webhookContext(delivery.webhook_id)),
      },
      startedAt,
    );
    metrics.attempted(exchanged.outcome, exchanged.durationMs);
    await this.#recorder.record(this.#finished(delivery, exchanged, startedAt));
  }

  #finished(delivery: ClaimedDelivery, exchanged: Exchanged, startedAt: Date): FinishedAttempt {
    const { outcome, durationMs, address } = exchanged;
    const { now, random } = this.#options;
    const dueAt = nextAttemptAt(delivery.attempts + 1, outcome, now(), random);
    const isDelivered = outcome.kind === 'delivered';
    return {
      org_id: delivery.org_id,
      delivery_id: delivery.id,
      lease_token: delivery.lease_token,
      state: isDelivered ? 'delivered' : dueAt === undefined ? 'exhausted' : 'pending',
      due_at: dueAt,
      started_at: startedAt,
      duration_ms: durationMs,
      error_class: errorClass(outcome),
      status_code: 'status' in outcome ? outcome.status : undefined,
      detail: isDelivered ? undefined : describeOutcome(outcome),
      address,
      secret_version: delivery.secret_version,
    };
  }

  async #write(attempts: readonly FinishedAttempt[]): Promise<void> {
    const { db, now, metrics } = this.#options;
    const finished = await finishDeliveries(db, attempts, now());
    const exhausted = finished.filter(({ state }) => state === 'exhausted').length;
    if (exhausted > 0) metrics.exhausted(exhausted);
    if (finished.length < attempts.length) metrics.superseded(attempts.length - finished.length);
  }
}
