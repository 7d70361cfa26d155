import { setTimeout as sleep } from 'node:timers/promises';
import { PollingLoop } from '../loops/polling-loop.ts';
import type { Db } from '../queries/connection/database.ts';
import {
  cancelUnwantedPiece,
  endCancelling,
  listCancellingWebhooks,
  type CancellingWebhook,
  type QueuePlace,
} from '../queries/deliveries/unwanted-deliveries.ts';
import type { DeliveryMetrics } from './metrics.ts';

/** How soon it is noticed that something was left. */
const POLL_MS = 1_000;
/** Between two pieces: others are committed meanwhile, since the database writes its log in order. */
const PAUSE_MS = 10;

export interface LeftDeliveriesOptions {
  readonly db: Db;
  readonly now: () => Date;
  readonly metrics: Pick<DeliveryMetrics, 'deliveriesCancelled'>;
  readonly onError: (error: unknown) => void;
  readonly pause?: () => Promise<unknown>;
}

/**
 * Cancels the deliveries that webhooks no longer want and that the calls which changed these have left.
 *
 *   idle -> running (start) -> stopped (stop)
 */
export class LeftDeliveries {
  readonly #options: LeftDeliveriesOptions;
  readonly #loop: PollingLoop;
  #isStopped = false;

  constructor(options: LeftDeliveriesOptions) {
    this.#options = options;
    this.#loop = new PollingLoop({
      work: () => this.processAll(),
      nextRoundMs: () => POLL_MS,
      retryMs: POLL_MS,
      onError: options.onError,
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Ends with the piece that is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loop.stop();
  }

  /** One round: pieces with pauses, of which the webhooks have one each in turn. */
  async processAll(): Promise<void> {
    const { db, now, metrics, pause = () => sleep(PAUSE_MS) } = this.#options;
    const places = new Map<CancellingWebhook, QueuePlace | undefined>();
    for (const webhook of await listCancellingWebhooks(db)) places.set(webhook, undefined);
    while (places.size > 0) {
      for (const [webhook, place] of places) {
        if (this.#isStopped) return;
        const { reason, count, next } = await db
          .transaction()
          .execute((tx) => cancelUnwantedPiece(tx, webhook, now(), place));
        if (count > 0) metrics.deliveriesCancelled(reason, count);
        if (next === undefined) {
          places.delete(webhook);
          await endCancelling(db, webhook);
        } else places.set(webhook, next);
        await pause();
      }
    }
  }
}
