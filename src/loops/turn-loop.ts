export interface TurnLoopOptions {
  /** How long one turn of the event loop may begin steps, in milliseconds. */
  readonly turnMs: number;
  /** Milliseconds that never run backwards. */
  readonly monotonicMs: () => number;
  /** Whether there is anything to do. */
  readonly hasNext: () => boolean;
  /** Does one thing; one that throws does not keep the others from being done. */
  readonly doNext: () => void;
  /** Hears of each turn that begins, and when that is. */
  readonly onTurn?: (nowMs: number) => void;
}

/** Does what there is to do in helpings: for some milliseconds in a turn of the event loop, with others served between. */
export class TurnLoop {
  readonly #options: TurnLoopOptions;
  #isRunning = false;
  #turnBeganMs = 0;

  constructor(options: TurnLoopOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Begins with the next turn, unless it runs already. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(this.#beginTurn);
  }

  readonly #beginTurn = (): void => {
    this.#turnBeganMs = this.#options.monotonicMs();
    this.#options.onTurn?.(this.#turnBeganMs);
    this.#step();
  };

  readonly #step = (): void => {
    const { hasNext, doNext, monotonicMs, turnMs } = this.#options;
    if (!hasNext()) {
      this.#isRunning = false;
      return;
    }
    if (monotonicMs() - this.#turnBeganMs >= turnMs) {
      setImmediate(this.#beginTurn);
      return;
    }
    try {
      doNext();
    } finally {
      // Behind all that the step does without waiting: that is of its turn too.
      queueMicrotask(() => process.nextTick(this.#step));
    }
  };
}
