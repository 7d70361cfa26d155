import type { Ledger } from '../simulation/model/counters.ts';

/**
 * Waits until the caller may work out a slice of `days` household-days at most. `days` tells what the slice before it
 * came to.
 */
export type TakeTurn = (days: number) => Promise<void>;

const requests: (() => void)[] = [];
const others: (() => void)[] = [];
let isServing = false;

/** One slice a turn of the event loop in the whole process, first come first served: what else is due comes between. */
export const takeTurn: TakeTurn = () => turnAfter(requests);

/** The same for work that nobody waits for: it goes on when no request needs the turn. */
export const takeSpareTurn: TakeTurn = () => turnAfter(others);

function turnAfter(queue: (() => void)[]): Promise<void> {
  return new Promise((resolve) => {
    queue.push(resolve);
    if (!isServing) setImmediate(serve);
    isServing = true;
  });
}

function serve(): void {
  (requests.shift() ?? others.shift())?.();
  isServing = requests.length + others.length > 0;
  if (isServing) setImmediate(serve);
}

/** A slice ends after so much time or so many days, whichever comes first: a day costs 25 µs, or 1 ms with many prices. */
export const SLICE_DAYS = 256;
const SLICE_MS = 8;
/** What nobody need wait for: a few households whose counters are at hand. */
const FIRST_DAYS = 32;
const FIRST_MS = 2;
/** Days between two looks at the clock. */
const STEP_DAYS = 8;

/** The slices of one piece of work: a request, or a fleet's checkpoints. */
export class Pace {
  readonly #takeTurn: TakeTurn;
  readonly #isStopping: () => boolean;
  #size = FIRST_DAYS;
  #left = FIRST_DAYS;
  #untilMs = performance.now() + FIRST_MS;

  constructor(turns: TakeTurn, isStopping: () => boolean = () => false) {
    this.#takeTurn = turns;
    this.#isStopping = isStopping;
  }

  /** Waits for a turn when the slice is used up. Call it before each piece of work that costs a day or so. */
  async keep(days = 1): Promise<void> {
    if (this.#left < days || performance.now() >= this.#untilMs) {
      await this.#takeTurn(this.#size - this.#left);
      this.#size = this.#left = SLICE_DAYS;
      this.#untilMs = performance.now() + SLICE_MS;
    }
    this.#left -= days;
  }

  /** Sums a household's counters up to the start of a day; false when the work stops before. */
  async reach(ledger: Ledger, day: number): Promise<boolean> {
    const walk = ledger.walkTo(day);
    for (let isThere = walk(0); !isThere; isThere = walk(STEP_DAYS)) {
      if (this.#isStopping()) return false;
      await this.keep(STEP_DAYS);
    }
    return true;
  }
}
