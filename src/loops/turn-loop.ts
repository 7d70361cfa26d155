/** What is done behind the time of a turn where turns are long, by what others do in them. */
export interface LongTurns {
  /** Until when: a share of the last turn, up to a number of milliseconds, from the beginning of this one. */
  readonly share: number;
  readonly maxMs: number;
  /** Does one thing; false when there is none. */
  readonly doNext: () => boolean;
}

export interface TurnLoopOptions {
  /** How long one turn of the event loop may begin steps, in milliseconds. */
  readonly turnMs: number;
  /** Milliseconds that never run backwards. */
  readonly monotonicMs: () => number;
  /** Whether there is anything to do. */
  readonly hasNext: () => boolean;
  /** Does one thing; one that throws does not keep the others from being done. */
  readonly doNext: () => void;
  readonly inLongTurns?: LongTurns | undefined;
  /** Hears of each turn that begins, and when that is. */
  readonly onTurn?: (nowMs: number) => void;
}

/** Does what there is to do in helpings: for some milliseconds in a turn of the event loop, with others served between. */
export class TurnLoop {
  readonly #options: TurnLoopOptions;
  #isRunning = false;
  #turnBeganMs = 0;
  #longTurnEndsMs = 0;

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
    this.#turnBeganMs = this.#options.monotonicMs();
    setImmediate(this.#beginTurn);
  }

  readonly #beginTurn = (): void => {
    const nowMs = this.#options.monotonicMs();
    const { share, maxMs } = this.#options.inLongTurns ?? { share: 0, maxMs: 0 };
    this.#longTurnEndsMs = nowMs + Math.min(maxMs, share * (nowMs - this.#turnBeganMs));
    this.#turnBeganMs = nowMs;
    this.#options.onTurn?.(nowMs);
    this.#step();
  };

  readonly #step = (): void => {
    if (!this.#options.hasNext()) {
      this.#isRunning = false;
      return;
    }
    let isTurnOver = false;
    try {
      isTurnOver = !this.#doOne();
    } finally {
      if (isTurnOver) setImmediate(this.#beginTurn);
      // Behind all that the step does without waiting: that is of its turn too.
      else queueMicrotask(() => process.nextTick(this.#step));
    }
  };

  /** False when this turn has no time for anything more. */
  #doOne(): boolean {
    const { turnMs, doNext, inLongTurns, monotonicMs } = this.#options;
    const nowMs = monotonicMs();
    if (nowMs - this.#turnBeganMs >= turnMs)
      return nowMs < this.#longTurnEndsMs && inLongTurns?.doNext() === true;
    doNext();
    return true;
  }
}
