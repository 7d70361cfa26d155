/** Revisions of prices as numbers in shared memory: they reach another thread without being copied. */
export interface PriceRevisions {
  /** Three for each: start of delivery and arrival in ms since 1970, price in EUR/MWh; by start, then by arrival. */
  readonly numbers: Float64Array;
  /** The instants in ms since 1970 at which revisions arrived, each once, in order. */
  readonly arrivals: Float64Array;
}

export const NUMBERS_PER_REVISION = 3;

/** Puts revisions together that come in pages, in order; the cost of a page lies in its `add`. */
export class PriceRevisionsBuilder {
  readonly #pages: Float64Array[] = [];
  #arrivals = new Float64Array();

  /** Revisions that come after all before, three numbers each; with their arrivals where these are known. */
  add(numbers: Float64Array, arrivals: Float64Array = arrivalsOf(numbers)): this {
    this.#pages.push(numbers);
    this.#arrivals = mergeOnce(this.#arrivals, arrivals);
    return this;
  }

  build(): PriceRevisions {
    const length = this.#pages.reduce((sum, page) => sum + page.length, 0);
    const numbers = shared(length);
    let next = 0;
    for (const page of this.#pages) {
      numbers.set(page, next);
      next += page.length;
    }
    const arrivals = shared(this.#arrivals.length);
    arrivals.set(this.#arrivals);
    return { numbers, arrivals };
  }
}

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

function shared(length: number): Float64Array<SharedArrayBuffer> {
  return new Float64Array(new SharedArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT));
}

function arrivalsOf(numbers: Float64Array): Float64Array {
  const arrivals = new Float64Array(numbers.length / NUMBERS_PER_REVISION);
  for (let at = 0; at < arrivals.length; at++) arrivals[at] = numbers[at * NUMBERS_PER_REVISION + 1] ?? NaN;
  return mergeOnce(arrivals.sort(), new Float64Array());
}

/** The numbers of two ordered lists, each once, in order. */
function mergeOnce(a: Float64Array, b: Float64Array): Float64Array<ArrayBuffer> {
  const merged = new Float64Array(a.length + b.length);
  let count = 0;
  for (let [i, j] = [0, 0]; i < a.length || j < b.length;) {
    const next = (a[i] ?? Infinity) <= (b[j] ?? Infinity) ? a[i++] : b[j++];
    if (next !== undefined && (count === 0 || merged[count - 1] !== next)) merged[count++] = next;
  }
  return merged.slice(0, count);
}
