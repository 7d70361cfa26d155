import { setTimeout as sleep } from 'node:timers/promises';
import { PollingLoop } from '../loops/polling-loop.ts';
import type { Db } from '../queries/connection/database.ts';
import {
  cancelUnwantedPiece,
  endCancelling,
  listCancellingPartners,
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

interface Turn {
  /** Behind it the next piece begins. */
  place: QueuePlace | undefined;
  /** After an error the others go on meanwhile. */
  notBeforeMs: number;
}

/** By the marks of webhooks, in the order of their turns. */
type Turns = Map<string, Turn>;

/**
 * Cancels the deliveries that webhooks no longer want and that the calls which changed these have left.
 *
 *   idle -> running (start) -> stopped (stop)
 */
export class LeftDeliveries {
  readonly #options: LeftDeliveriesOptions;
  readonly #loop: PollingLoop;
  /** Of each partner that was there in the last round. */
  #turnsOfPartners: ReadonlyMap<string, Turns> = new Map();
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

  /** Rounds of pieces with pauses, until nothing is left but what could not be cancelled just now. */
  async processAll(): Promise<void> {
    while (await this.#processRound());
  }

  /**
   * One piece of each partner, whose webhooks have them in turn. Who comes meanwhile is read with the next partners or in the next round, and
   * so waits for no more than one piece of each other partner. Tells whether there was a piece.
   */
  async #processRound(): Promise<boolean> {
    const { db, pause = () => sleep(PAUSE_MS) } = this.#options;
    const turnsOfPartners = new Map<string, Turns>();
    let hasPiece = false;
    let partners = await listCancellingPartners(db);
    while (partners.length > 0) {
      for (const partnerId of partners) {
        if (this.#isStopped) return false;
        const turns = this.#turnsOfPartners.get(partnerId) ?? new Map<string, Turn>();
        turnsOfPartners.set(partnerId, turns);
        if (!(await this.#processPiece(partnerId, turns))) continue;
        hasPiece = true;
        await pause();
      }
      partners = await listCancellingPartners(db, partners.at(-1));
    }
    this.#turnsOfPartners = turnsOfPartners;
    return hasPiece;
  }

  /** An error ends this turn alone: the webhook keeps its place, and the others have theirs. */
  async #processPiece(partnerId: string, turns: Turns): Promise<boolean> {
    const { db, now, onError } = this.#options;
    const next = pickNext(await listCancellingWebhooks(db, partnerId), turns, now());
    if (next === undefined) return false;
    const { webhook, turn } = next;
    try {
      turn.place = await this.#cancelPiece(webhook, turn.place);
    } catch (error) {
      turn.notBeforeMs = now().getTime() + POLL_MS;
      onError(error);
    }
    return true;
  }

  /** Behind which delivery the next piece begins. */
  async #cancelPiece(
    webhook: CancellingWebhook,
    place: QueuePlace | undefined,
  ): Promise<QueuePlace | undefined> {
    const { db, now, metrics } = this.#options;
    const { reason, count, next } = await db
      .transaction()
      .execute((tx) => cancelUnwantedPiece(tx, webhook, now(), place));
    if (count > 0) metrics.deliveriesCancelled(reason, count);
    if (next === undefined) await endCancelling(db, webhook);
    return next;
  }
}

/** The webhook that has waited longest, which is the last one from now on. Marks that are no longer there are forgotten. */
function pickNext(
  webhooks: readonly CancellingWebhook[],
  turns: Turns,
  now: Date,
): { readonly webhook: CancellingWebhook; readonly turn: Turn } | undefined {
  const webhookByMark = new Map(webhooks.map((webhook) => [webhook.mark, webhook]));
  for (const mark of turns.keys()) if (!webhookByMark.has(mark)) turns.delete(mark);
  for (const mark of webhookByMark.keys())
    if (!turns.has(mark)) turns.set(mark, { place: undefined, notBeforeMs: 0 });
  for (const [mark, turn] of turns) {
    const webhook = webhookByMark.get(mark);
    if (webhook === undefined || turn.notBeforeMs > now.getTime()) continue;
    turns.delete(mark);
    turns.set(mark, turn);
    return { webhook, turn };
  }
  return undefined;
}
