import type { CounterAccumulator } from '../simulation/model/counter-accumulator.ts';

/**
 * Waits until the caller may work out a slice of `days` household-days at most. `days` tells what the slice before it
 * came to.
 */
export type YieldToEventLoop = (days: number) => Promise<void>;

const requestQueue: (() => void)[] = [];
const lowPriorityQueue: (() => void)[] = [];
let isScheduled = false;

/** One slice a turn of the event loop in the whole process, first come first served: what else is due comes between. */
export const yieldToEventLoop: YieldToEventLoop = () => yieldInQueue(requestQueue);

/** The same for work that nobody waits for: it goes on when no request needs the turn. */
export const yieldLowPriority: YieldToEventLoop = () => yieldInQueue(lowPriorityQueue);

function yieldInQueue(queue: (() => void)[]): Promise<void> {
  return new Promise((resolve) => {
    queue.push(resolve);
    if (!isScheduled) setImmediate(runNextWaiter);
    isScheduled = true;
  });
}

function runNextWaiter(): void {
  (requestQueue.shift() ?? lowPriorityQueue.shift())?.();
  isScheduled = requestQueue.length + lowPriorityQueue.length > 0;
  if (isScheduled) setImmediate(runNextWaiter);
}

/** A slice ends after so much time or so many days, whichever comes first: a day costs 25 µs, or 1 ms with many prices. */
export const TIME_SLICE_DAYS = 256;
const TIME_SLICE_MS = 8;
/** What nobody need wait for: a few households whose counters are at hand. */
const FIRST_SLICE_DAYS = 32;
const FIRST_SLICE_MS = 2;
/** Days between two looks at the clock. */
const CLOCK_CHECK_DAYS = 8;

/** The slices of one piece of work: a request, or a fleet's checkpoints. */
export class TimeSlicer {
  readonly #yieldToEventLoop: YieldToEventLoop;
  readonly #isStopping: () => boolean;
  #size = FIRST_SLICE_DAYS;
  #left = FIRST_SLICE_DAYS;
  #untilMs = performance.now() + FIRST_SLICE_MS;

  constructor(yieldToEventLoop: YieldToEventLoop, isStopping: () => boolean = () => false) {
    this.#yieldToEventLoop = yieldToEventLoop;
    this.#isStopping = isStopping;
  }

  /** Yields to other work when the slice is used up. Call it before each piece of work that costs a day or so. */
  async yieldIfDue(days = 1): Promise<void> {
    if (this.#left < days || performance.now() >= this.#untilMs) {
      await this.#yieldToEventLoop(this.#size - this.#left);
      this.#size = this.#left = TIME_SLICE_DAYS;
      this.#untilMs = performance.now() + TIME_SLICE_MS;
    }
    this.#left -= days;
  }

  /** Sums a household's counters up to the start of a day; false when the work stops before. */
  async advanceTo(accumulator: CounterAccumulator, day: number): Promise<boolean> {
    const walk = accumulator.startAdvancingTo(day);
    for (let isThere = walk(0); !isThere; isThere = walk(CLOCK_CHECK_DAYS)) {
      if (this.#isStopping()) return false;
      await this.yieldIfDue(CLOCK_CHECK_DAYS);
    }
    return true;
  }
}
