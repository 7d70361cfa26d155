/** Revisions of prices as numbers in shared memory: they reach another thread without being copied. */
export interface PriceRevisions {
  /** Three for each: start of delivery and arrival in ms since 1970, price in EUR/MWh; by start, then by arrival. */
  readonly numbers: Float64Array;
  /** The instants in ms since 1970 at which revisions arrived, each once, in order. */
  readonly arrivals: Float64Array;
}

export const NUMBERS_PER_REVISION = 3;

/** Others have their turn meanwhile. */
export type Pause = () => Promise<void>;

/** What is moved between two pauses: 256 KiB, some 2 ms where the memory is new to the process. */
const NUMBERS_PER_PIECE = 32_768;

/** Gives before each step how many numbers it moves, a piece at most. */
type Steps<Result> = Generator<number, Result, undefined>;

/** Puts revisions together that come in pages, in order. */
export class PriceRevisionsBuilder {
  readonly #pages: Float64Array[] = [];
  readonly #arrivals: Float64Array[] = [];

  /** Revisions that come after all before, three numbers each; with their arrivals where these are known. */
  add(numbers: Float64Array, arrivals: Float64Array = arrivalsOf(numbers)): this {
    this.#pages.push(numbers);
    this.#arrivals.push(arrivals);
    return this;
  }

  /** All at once, for who keeps nobody waiting. */
  build(): PriceRevisions {
    const steps = this.#steps();
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  }

  /** The same with pauses between pieces, none where one piece is all. */
  async buildInPieces(pause: Pause): Promise<PriceRevisions> {
    const steps = this.#steps();
    let moved = 0;
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      if (moved + step.value > NUMBERS_PER_PIECE) {
        await pause();
        moved = 0;
      }
      moved += step.value;
    }
  }

  *#steps(): Steps<PriceRevisions> {
    const numbers = yield* share(this.#pages);
    const arrivals = yield* share([yield* mergeAll(this.#arrivals)]);
    return { numbers, arrivals };
  }
}

const NO_NUMBERS = new Float64Array();

export const NO_PRICE_REVISIONS: PriceRevisions = new PriceRevisionsBuilder().build();

/** The place of the first revision of a start from `startMs` on; the number of revisions when there is none. */
export function findFirstFrom({ numbers }: PriceRevisions, startMs: number): number {
  const isReached = (revision: number): boolean =>
    (numbers[revision * NUMBERS_PER_REVISION] ?? NaN) >= startMs;
  return findFirst(numbers.length / NUMBERS_PER_REVISION, isReached);
}

/** The first of some numbers from 0 on for which a property holds that all later ones have too; `count` when none has it. */
export function findFirst(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  for (let high = count; low < high;) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Lists one after the other, in shared memory. */
function* share(lists: readonly Float64Array[]): Steps<Float64Array> {
  const length = lists.reduce((sum, list) => sum + list.length, 0);
  const shared = new Float64Array(new SharedArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT));
  let next = 0;
  for (const list of lists) {
    for (let from = 0; from < list.length; from += NUMBERS_PER_PIECE) {
      const piece = list.subarray(from, from + NUMBERS_PER_PIECE);
      yield piece.length;
      shared.set(piece, next);
      next += piece.length;
    }
  }
  return shared;
}

function arrivalsOf(numbers: Float64Array): Float64Array {
  const arrivals = new Float64Array(numbers.length / NUMBERS_PER_REVISION);
  for (let at = 0; at < arrivals.length; at++) arrivals[at] = numbers[at * NUMBERS_PER_REVISION + 1] ?? NaN;
  arrivals.sort();
  return arrivals.filter((arrival, at) => at === 0 || arrival !== arrivals[at - 1]);
}

/** The numbers of some ordered lists, each once, in order. By pairs: one list after the other costs as often as there are lists. */
function* mergeAll(lists: readonly Float64Array[]): Steps<Float64Array> {
  let left = lists;
  while (left.length > 1) {
    const merged: Float64Array[] = [];
    for (let at = 0; at < left.length; at += 2)
      merged.push(yield* mergeOnce(left[at] ?? NO_NUMBERS, left[at + 1] ?? NO_NUMBERS));
    left = merged;
  }
  return left[0] ?? NO_NUMBERS;
}

/** The same of two. */
function* mergeOnce(a: Float64Array, b: Float64Array): Steps<Float64Array> {
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a;
  const merged = new Float64Array(a.length + b.length);
  let [i, j, count] = [0, 0, 0];
  while (i + j < merged.length) {
    const end = Math.min(i + j + NUMBERS_PER_PIECE, merged.length);
    yield end - i - j;
    while (i + j < end) {
      const next = (a[i] ?? Infinity) <= (b[j] ?? Infinity) ? a[i++] : b[j++];
      if (next !== undefined && (count === 0 || merged[count - 1] !== next)) merged[count++] = next;
    }
  }
  return merged.subarray(0, count);
}
