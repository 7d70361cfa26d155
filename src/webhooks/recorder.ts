import type { FinishedAttempt } from '../queries/deliveries/delivery-results.ts';

const batchRows = 200;
const batchMs = 10;
const againMs = 500;

interface Waiting {
  readonly attempt: FinishedAttempt;
  readonly recorded: () => void;
}

/**
 * Gathers finished attempts and writes them together: at once when nothing was written in the last 10 ms, otherwise all
 * that came in these, at most 200 rows a batch. A batch that cannot
 * be written is tried again; if that takes longer than its leases, the deliveries are sent again.
 */
export class Recorder {
  readonly #write: (attempts: readonly FinishedAttempt[]) => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;
  #writes = 0;
  #wroteAtMs = -batchMs;
  #isClosed = false;

  constructor(
    write: (attempts: readonly FinishedAttempt[]) => Promise<void>,
    onError: (error: unknown) => void,
  ) {
    this.#write = write;
    this.#onError = onError;
  }

  /** Resolves when the attempt is written, or given up at the close. */
  record(attempt: FinishedAttempt): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#waiting.push({ attempt, recorded: () => resolve(undefined) });
    if (this.#waiting.length >= batchRows || this.#isClosed) this.#flush();
    else this.#flushSoon();
    return promise;
  }

  /** From now on everything is written at once and a failed batch is given up. */
  close(): void {
    this.#isClosed = true;
    this.#flush();
  }

  /** A batch under way sees to what comes meanwhile when it has ended. */
  #flushSoon(): void {
    if (this.#writes > 0 || this.#timer !== undefined || this.#waiting.length === 0) return;
    const waitMs = this.#wroteAtMs + batchMs - performance.now();
    if (waitMs > 0) this.#timer = setTimeout(() => this.#flush(), waitMs);
    else this.#soon ??= setImmediate(() => this.#flush());
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    clearImmediate(this.#soon);
    this.#soon = undefined;
    const batch = this.#waiting.splice(0, batchRows);
    if (batch.length > 0) void this.#writeBatch(batch);
    if (this.#waiting.length > 0) this.#flush();
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    this.#writes += 1;
    this.#wroteAtMs = performance.now();
    try {
      await this.#write(batch.map(({ attempt }) => attempt));
      this.#writes -= 1;
      this.#flushSoon();
    } catch (error) {
      this.#writes -= 1;
      this.#onError(error);
      if (!this.#isClosed) {
        this.#waiting.push(...batch);
        this.#timer ??= setTimeout(() => this.#flush(), againMs);
        return;
      }
    }
    for (const { recorded } of batch) recorded();
  }
}
