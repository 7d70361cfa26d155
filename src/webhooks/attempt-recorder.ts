import type { FinishedAttempt } from '../queries/deliveries/delivery-results.ts';

const MAX_BATCH_SIZE = 200;
const BATCH_INTERVAL_MS = 10;
const RETRY_MS = 500;

interface PendingRecord {
  readonly attempt: FinishedAttempt;
  readonly recorded: () => void;
}

/**
 * Last step of an attempt: writes finished attempts in batches of at most 200 rows. The first is written at once, those
 * that come within 10 ms after it together. A batch that cannot be written is tried again after 500 ms; if that lasts
 * longer than the leases, the deliveries are sent again.
 */
export class AttemptRecorder {
  readonly #write: (attempts: readonly FinishedAttempt[]) => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #pending: PendingRecord[] = [];
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #activeWrites = 0;
  #lastWriteAtMs = -BATCH_INTERVAL_MS;
  #isClosed = false;

  constructor(
    write: (attempts: readonly FinishedAttempt[]) => Promise<void>,
    onError: (error: unknown) => void,
  ) {
    this.#write = write;
    this.#onError = onError;
  }

  /** Resolves when the attempt is written, or given up after `close`. Never rejects. */
  record(attempt: FinishedAttempt): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#pending.push({ attempt, recorded: () => resolve(undefined) });
    if (this.#pending.length >= MAX_BATCH_SIZE || this.#isClosed) this.#flush();
    else this.#scheduleFlush();
    return promise;
  }

  /** From now on attempts are written at once, and a batch that fails is given up. */
  close(): void {
    this.#isClosed = true;
    this.#flush();
  }

  /** Nothing to do while a batch is being written: its end schedules the next one. */
  #scheduleFlush(): void {
    if (this.#activeWrites > 0 || this.#timer !== undefined || this.#pending.length === 0) return;
    const waitMs = this.#lastWriteAtMs + BATCH_INTERVAL_MS - performance.now();
    if (waitMs > 0) this.#timer = setTimeout(() => this.#flush(), waitMs);
    else this.#immediate ??= setImmediate(() => this.#flush());
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    clearImmediate(this.#immediate);
    this.#immediate = undefined;
    const batch = this.#pending.splice(0, MAX_BATCH_SIZE);
    if (batch.length > 0) void this.#writeBatch(batch);
    if (this.#pending.length > 0) this.#flush();
  }

  async #writeBatch(batch: readonly PendingRecord[]): Promise<void> {
    this.#activeWrites += 1;
    this.#lastWriteAtMs = performance.now();
    try {
      await this.#write(batch.map(({ attempt }) => attempt));
      this.#activeWrites -= 1;
      this.#scheduleFlush();
    } catch (error) {
      this.#activeWrites -= 1;
      this.#onError(error);
      if (!this.#isClosed) {
        this.#pending.push(...batch);
        this.#timer ??= setTimeout(() => this.#flush(), RETRY_MS);
        return;
      }
    }
    for (const { recorded } of batch) recorded();
  }
}
