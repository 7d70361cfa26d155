import type { FinishedAttempt } from '../queries/delivery-queue.ts';

const batchMs = 10;
const batchRows = 200;
const againMs = 500;

interface Waiting {
  readonly attempt: FinishedAttempt;
  readonly recorded: () => void;
}

/**
 * Gathers finished attempts and writes them together: at most 10 ms or 200 rows. A batch that cannot
 * be written is tried again; if that takes longer than its leases, the deliveries are sent again.
 */
export class Recorder {
  readonly #write: (attempts: readonly FinishedAttempt[]) => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
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
    else this.#timer ??= setTimeout(() => this.#flush(), batchMs);
    return promise;
  }

  /** From now on everything is written at once and a failed batch is given up. */
  close(): void {
    this.#isClosed = true;
    this.#flush();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#waiting.splice(0, batchRows);
    if (batch.length > 0) void this.#writeBatch(batch);
    if (this.#waiting.length > 0) this.#flush();
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      await this.#write(batch.map(({ attempt }) => attempt));
    } catch (error) {
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
