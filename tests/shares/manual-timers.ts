import type { StartTimer } from '../../src/shares/fair-share.ts';

/** Timers that run when a test lets time pass. */
export class ManualTimers {
  #nowMs = 0;
  readonly #timers = new Set<{ readonly atMs: number; readonly run: () => void }>();

  readonly monotonicMs = (): number => this.#nowMs;

  readonly start: StartTimer = (waitMs, run) => {
    const timer = { atMs: this.#nowMs + waitMs, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  advance(ms: number): void {
    this.#nowMs += ms;
    for (const timer of this.#timers) {
      if (timer.atMs > this.#nowMs) continue;
      this.#timers.delete(timer);
      timer.run();
    }
  }
}
