/**
 * How long to wait before work that failed is tried again, for each piece of work: `firstMs`, then twice as long each time,
 * at most `longestMs`.
 */
export class Backoff {
  readonly #firstMs: number;
  readonly #longestMs: number;
  readonly #failures = new Map<string, number>();

  constructor(firstMs: number, longestMs: number) {
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
  }

  /** Counts one more failure of `key`; returns the milliseconds to wait. */
  nextMs(key: string): number {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    return Math.min(this.#longestMs, this.#firstMs * 2 ** Math.min(failures, 30));
  }

  /** The work of `key` succeeded or is given up. */
  forget(key: string): void {
    this.#failures.delete(key);
  }
}
