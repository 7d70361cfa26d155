export interface BurstLimits {
  /** In how many turns of the event loop in a row a connection was opened, with which a burst begins. */
  readonly turns: number;
  /** How long a burst is one, and how long there is no other behind it. */
  readonly burstMs: number;
  readonly restMs: number;
}

/** Tells when many connections are opened at once: the event loop accepts one of them in each of its turns. */
export class OpeningBursts {
  readonly #limits: BurstLimits;
  #lastTurn = -Infinity;
  #turnsInARow = 0;
  #beganMs = -Infinity;

  constructor(limits: BurstLimits) {
    this.#limits = limits;
  }

  /** Notes that a connection is opened in a turn of the event loop. */
  noteOpening(turn: number, nowMs: number): void {
    const { turns, burstMs, restMs } = this.#limits;
    if (turn === this.#lastTurn) return;
    this.#turnsInARow = turn > this.#lastTurn + 1 ? 1 : this.#turnsInARow + 1;
    this.#lastTurn = turn;
    if (this.#turnsInARow < turns || nowMs < this.#beganMs + burstMs + restMs) return;
    this.#beganMs = nowMs;
  }

  /** Whether a turn in which a connection was opened is one of a burst. */
  isOn(turn: number, nowMs: number): boolean {
    const { turns, burstMs } = this.#limits;
    const isInARow = turn === this.#lastTurn && this.#turnsInARow >= turns;
    return isInARow && nowMs < this.#beganMs + burstMs;
  }
}
