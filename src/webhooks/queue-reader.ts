import type { ClaimCursor, ClaimedBatch, ClaimedDelivery } from '../queries/deliveries/delivery-queue.ts';

/** Attempts, or slots for them. */
export interface Lanes {
  readonly first: number;
  readonly retry: number;
}

export interface QueueReaderOptions {
  /** How many may be claimed now. */
  readonly freeSlots: () => Lanes;
  readonly claim: (free: Lanes, cursor: ClaimCursor) => Promise<ClaimedBatch>;
  /** Begins attempts of a claim that began at `startedAt`. */
  readonly start: (deliveries: readonly ClaimedDelivery[], startedAt: Date) => Promise<void>;
  readonly now: () => Date;
}

/** Reads the queue from where it ended the last time, so that all who wait have their turn. */
export class QueueReader {
  readonly #options: QueueReaderOptions;
  #cursor: ClaimCursor = {};

  constructor(options: QueueReaderOptions) {
    this.#options = options;
  }

  /** Claims in both lanes until their slots are full or all webhooks that wait have been seen; the number of deliveries of each claim. */
  async *claimUntilFull(): AsyncGenerator<number, undefined> {
    const { freeSlots, claim, start, now } = this.#options;
    const endsSeen = { first: 0, retry: 0 };
    for (;;) {
      const free = freeSlots();
      const first = endsSeen.first < 2 ? free.first : 0;
      const retry = endsSeen.retry < 2 ? free.retry : 0;
      if (first <= 0 && retry <= 0) return undefined;
      const startedAt = now();
      const batch = await claim({ first, retry }, this.#cursor);
      for (const lane of ['first', 'retry'] as const) {
        // A claim that began at the start and reached the end has seen all; one that began later must reach it twice.
        if (!batch.hasMore[lane] && batch.nextCursor[lane] === undefined)
          endsSeen[lane] += this.#cursor[lane] === undefined ? 2 : 1;
      }
      this.#cursor = batch.nextCursor;
      await start(batch.deliveries, startedAt);
      yield batch.deliveries.length;
    }
  }
}
