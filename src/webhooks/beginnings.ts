import { TurnLoop } from '../loops/turn-loop.ts';

/**
 * How long a turn of the event loop begins attempts, in milliseconds. What they do next comes in later turns, a handshake of some 1 ms
 * for each, and others are served between.
 */
const BEGINNING_MS = 1;

/** Lets attempts begin in helpings, in the order in which they came. */
export class Beginnings {
  readonly #waiting: (() => void)[] = [];
  readonly #loop: TurnLoop;

  /** `monotonicMs`: milliseconds that never run backwards. */
  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#loop = new TurnLoop({
      turnMs: BEGINNING_MS,
      monotonicMs,
      hasNext: () => this.#waiting.length > 0,
      doNext: () => this.#waiting.shift()?.(),
    });
  }

  /** Resolves in the turn of the event loop in which the caller may begin. */
  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#loop.start();
    });
  }
}
