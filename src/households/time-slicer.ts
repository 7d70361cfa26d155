import type {
  AdvanceByDays,
  Checkpoint,
  CounterAccumulator,
} from '../simulation/model/counter-accumulator.ts';
import type { HouseholdModel } from '../simulation/model/model.ts';

/**
 * Waits until the caller may compute the next time slice. `days` is the number of household-days that the slice before
 * it computed; `partnerId` says for whom a request computes.
 */
export type YieldToEventLoop = (days: number, partnerId?: string) => Promise<void>;

/** For a thread, for which nobody else waits: it needs no slices. */
export const goOn: YieldToEventLoop = () => Promise.resolve();

/** Waiting requests by partner; who was served goes to the end. */
const requestQueues = new Map<string, (() => void)[]>();
const lowPriorityQueue: (() => void)[] = [];
/** Of so many slices one is of background work that waits: it must end, however many requests there are at all times. */
const SLICES_PER_BACKGROUND_SLICE = 8;
/** Slices of requests since background work waits for one. */
let slicesAhead = 0;
/**
 * Between two slices the event loop is idle for a quarter of what the slice before took: then nobody waits for it, and the database and
 * the threads of V8, which may be on the same core, have it meanwhile. Where it never is, a slice comes after eight times as long all
 * the same: computing takes a ninth.
 */
const IDLE_PER_SLICE = 0.25;
const PAUSE_PER_SLICE = 8;
/** What a slice counts as: a short one makes others wait too, and after a long one who computes must not wait for ever. */
const SHORTEST_SLICE_MS = 2;
const LONGEST_SLICE_MS = 16;
const NEXT_LOOK_MS = 1;
let sliceAtMs = -Infinity;
/** What the event loop had been idle in all by then. */
let idleBeforeMs = 0;
/** What the slice before took, counted as above. */
let sliceMs = SHORTEST_SLICE_MS;
let isScheduled = false;

/**
 * Resumes one waiter after the other, with a pause in which other events are served. Partners take turns, however many of their
 * requests wait; those of one are resumed in order of arrival. Who comes when nothing was computed for a while does not wait.
 */
export const yieldToEventLoop: YieldToEventLoop = (_days, partnerId = '') => {
  const queue = requestQueues.get(partnerId) ?? [];
  requestQueues.set(partnerId, queue);
  return yieldInQueue(queue);
};

/** The same for background work: it resumes when no request is waiting, or seven of their slices have been ahead of it. */
export const yieldLowPriority: YieldToEventLoop = () => yieldInQueue(lowPriorityQueue);

function yieldInQueue(queue: (() => void)[]): Promise<void> {
  return new Promise((resolve) => {
    queue.push(resolve);
    if (isScheduled) return;
    isScheduled = true;
    if (performance.now() - sliceAtMs >= PAUSE_PER_SLICE * sliceMs) setImmediate(runNextWaiter);
    else setTimeout(runNextWaiter, NEXT_LOOK_MS);
  });
}

function runNextWaiter(): void {
  const nowMs = performance.now();
  const { idle: idleMs } = performance.eventLoopUtilization();
  if (idleMs - idleBeforeMs >= IDLE_PER_SLICE * sliceMs || nowMs - sliceAtMs >= PAUSE_PER_SLICE * sliceMs) {
    sliceAtMs = nowMs;
    idleBeforeMs = idleMs;
    shiftNext()?.();
    // Behind all that goes on at once, and before anything else is served: what others ask for is no part of it.
    queueMicrotask(() => process.nextTick(measureSlice));
  }
  isScheduled = requestQueues.size + lowPriorityQueue.length > 0;
  if (isScheduled) setTimeout(runNextWaiter, NEXT_LOOK_MS);
}

function measureSlice(): void {
  sliceMs = Math.min(Math.max(performance.now() - sliceAtMs, SHORTEST_SLICE_MS), LONGEST_SLICE_MS);
}

function shiftNext(): (() => void) | undefined {
  const isBackgroundDue = lowPriorityQueue.length > 0 && slicesAhead + 1 >= SLICES_PER_BACKGROUND_SLICE;
  const request = isBackgroundDue ? undefined : shiftNextRequest();
  slicesAhead = request === undefined || lowPriorityQueue.length === 0 ? 0 : slicesAhead + 1;
  return request ?? lowPriorityQueue.shift();
}

function shiftNextRequest(): (() => void) | undefined {
  const [next] = requestQueues;
  if (next === undefined) return undefined;
  const [partnerId, queue] = next;
  const resume = queue.shift();
  requestQueues.delete(partnerId);
  if (queue.length > 0) requestQueues.set(partnerId, queue);
  return resume;
}

/**
 * A slice ends after so much time or so many days, whichever comes first: a day costs 25 µs, of a heat pump that is planned 1 ms. Another
 * request is looked at several times until it is answered, and may meet a slice each time.
 */
export const TIME_SLICE_DAYS = 64;
const TIME_SLICE_MS = 2;
/** What nobody need wait for: a few households whose counters are at hand. */
const FIRST_SLICE_DAYS = 32;
const FIRST_SLICE_MS = 2;
/** Household-days between two checks of the clock: a plan that prices change every two hours takes some ms. */
const CLOCK_CHECK_DAYS = 1;

/** A long sum of a household leaves it after so much time to who else asks for it. */
const TURN_MS = 1_000;
/** When the last of those who work on a household, or wait to, has ended; nothing where nobody does. */
const turns = new WeakMap<CounterAccumulator, Promise<undefined>>();

/** Cuts one computation, of a request or of a fleet's checkpoints, into time slices. */
export class TimeSlicer {
  readonly #yieldToEventLoop: YieldToEventLoop;
  readonly #isStopping: () => boolean;
  readonly #monotonicMs: () => number;
  #size = FIRST_SLICE_DAYS;
  #left = FIRST_SLICE_DAYS;
  #untilMs: number;

  /** `monotonicMs`: milliseconds that never run backwards. */
  constructor(
    yieldToEventLoop: YieldToEventLoop,
    isStopping: () => boolean = () => false,
    monotonicMs: () => number = () => performance.now(),
  ) {
    this.#yieldToEventLoop = yieldToEventLoop;
    this.#isStopping = isStopping;
    this.#monotonicMs = monotonicMs;
    this.#untilMs = monotonicMs() + FIRST_SLICE_MS;
  }

  /**
   * Yields to the event loop when the time slice is used up. Call it before each piece of work, with its cost in
   * household-days.
   */
  async yieldIfDue(days = 1): Promise<void> {
    if (this.#left < days || this.#monotonicMs() >= this.#untilMs) {
      await this.#yieldToEventLoop(this.#size - this.#left);
      this.#size = this.#left = TIME_SLICE_DAYS;
      this.#untilMs = this.#monotonicMs() + TIME_SLICE_MS;
    }
    this.#left -= days;
  }

  /**
   * Makes what a day of a household follows from, and then `work` at once, which computes the day. `start`: where the day begins, or the
   * anchor's where that is later.
   */
  onDay<Result>(
    model: Pick<HouseholdModel, 'approach' | 'counters'>,
    day: number,
    start: Checkpoint,
    work: () => Result,
  ): Promise<Result> {
    return this.#inTurnOf(model.counters, async () => {
      model.counters.use(start);
      while (!model.approach(day)) {
        await this.yieldIfDue(CLOCK_CHECK_DAYS);
        model.counters.use(start);
      }
      return work();
    });
  }

  /** Makes what the outlook of a car follows from; false when the work stops before. */
  async approachChargeOutlook(
    model: Pick<HouseholdModel, 'approachChargeOutlook'>,
    quarter: number,
  ): Promise<boolean> {
    while (!model.approachChargeOutlook(quarter)) {
      if (this.#isStopping()) return false;
      await this.yieldIfDue(CLOCK_CHECK_DAYS);
    }
    return true;
  }

  /** Sums a household's counters up to the start of a day; undefined when the work stops before. */
  async advanceTo(counters: CounterAccumulator, day: number): Promise<Checkpoint | undefined> {
    const advance = counters.startAdvancingTo(day);
    let reached = advance(0);
    while (reached === undefined && !this.#isStopping()) {
      reached = await this.#inTurnOf(counters, () => this.#advanceInTurn(counters, advance));
    }
    return reached;
  }

  /** Sums on by a day at least, and until the turn is over. */
  async #advanceInTurn(
    counters: CounterAccumulator,
    advance: AdvanceByDays,
  ): Promise<Checkpoint | undefined> {
    const turnEndsMs = this.#monotonicMs() + TURN_MS;
    let first: number | undefined;
    for (;;) {
      await this.yieldIfDue(CLOCK_CHECK_DAYS);
      const reached = advance(CLOCK_CHECK_DAYS);
      first ??= counters.usedDay;
      const isOver = this.#monotonicMs() >= turnEndsMs && counters.usedDay > first;
      if (reached !== undefined || isOver || this.#isStopping()) return reached;
    }
  }

  /**
   * Works on a household when those have ended their turns who came before: what it remembers on the way to one day is little, and two who
   * went on by turns would make each other forget it for ever.
   */
  async #inTurnOf<Result>(household: CounterAccumulator, work: () => Promise<Result>): Promise<Result> {
    const before = turns.get(household);
    const turn = Promise.withResolvers<undefined>();
    turns.set(household, turn.promise);
    try {
      if (before !== undefined) {
        await before;
        await this.yieldIfDue(CLOCK_CHECK_DAYS);
      }
      return await work();
    } finally {
      turn.resolve(undefined);
      if (turns.get(household) === turn.promise) turns.delete(household);
    }
  }
}
