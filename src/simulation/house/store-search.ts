/**
 * The cheapest course of a store of heat, room or tank, under prices (docs/simulation.md#schedules): a search forward over
 * the quarter hours, in each of which the store may aim at a low temperature, at the one that it would have unsteered (home),
 * at a high one, or let the compressor run at its least. Courses that come near each other are one from there on. All are real:
 * each temperature is one that the steps of the house lead to, so that whoever follows the aims found lands exactly where the
 * search did.
 */

/** What a store may aim at in a quarter hour. */
export const AIM = { home: 0, low: 1, high: 2, least: 3 } as const;

/** A store of heat with its costs. */
export interface HeatStore {
  /** Temperatures before each quarter hour where nobody steers, mK. */
  readonly home: Int32Array;
  /** Where the last expansion led, what that cost and with which aims: the first `count` of each. */
  readonly results: {
    count: number;
    readonly next: number[];
    readonly cost: number[];
    readonly aim: number[];
    /** Heat of the compressor over the least that it gives without cycling. */
    readonly load: number[];
  };
  /** Who is warmer than that after a quarter hour is too warm to cool to home until the end of a search, mK. */
  readonly warmest: Float64Array;
  /** Its load for the other store, by quarter hours. */
  readonly otherLoad: Float64Array;
  /** Finds the warmest temperatures of a search over the quarter hours `from` up to and without `to`. */
  findWarmest(from: number, to: number): void;
  /** Looks at a quarter hour. */
  enter(i: number): void;
  /** Finds all results of that quarter hour for a store of `now` mK before it. */
  expand(now: number): void;
}

/** How far temperatures may be apart that count as one, and what they are compared by. */
export interface SearchScale {
  /** No allowed temperature is lower, mK. */
  readonly lowest: number;
  /** Width of a bucket, mK. */
  readonly bucketMk: number;
  /** What a mK more is worth: of two courses in a bucket the one that cost less for what it has is kept. */
  readonly worth: number;
  /** What it costs that the compressor starts. */
  readonly start: number;
}

/** Of so much of its least heat, but for rounding, a compressor runs a quarter hour to its end. */
const WHOLE_LOAD = 0.999;

/** More buckets than allowed temperatures need. */
const SLOTS = 512;
const MOST_QUARTERS = 104;
const HOME_SLOT = 0;

const states = new Int32Array(SLOTS * MOST_QUARTERS);
const costs = new Float64Array(SLOTS * MOST_QUARTERS);
/** Costs less what the state is worth. */
const ranks = new Float64Array(SLOTS * MOST_QUARTERS);
const parents = new Int32Array(SLOTS * MOST_QUARTERS);
const aimsOf = new Uint8Array(SLOTS * MOST_QUARTERS);
/** 1 where the compressor runs to the end of the quarter hour. */
const runs = new Uint8Array(SLOTS * MOST_QUARTERS);
/** By slot: the course that is kept in the layer that `layers` names. */
const kept = new Int32Array(SLOTS);
const layers = new Float64Array(SLOTS);
let layer = 0;

/**
 * Writes the aims of the cheapest course found from `start` before quarter hour `from` to home before quarter hour `to`; false
 * where none lands there.
 */
export function searchStore(
  store: HeatStore,
  { from, to }: { readonly from: number; readonly to: number },
  start: number,
  scale: SearchScale,
  aims: Uint8Array,
): boolean {
  store.findWarmest(from, to);
  states[0] = start;
  costs[0] = 0;
  runs[0] = 0;
  let first = 0;
  let count = 1;
  for (let i = from; i < to; i++) {
    const end = count;
    layer += 1;
    store.enter(i);
    count = extend(store, i, first, end, scale);
    first = end;
    if (count === end) return false;
  }
  if (layers[HOME_SLOT] !== layer) return false;
  let node = kept[HOME_SLOT] ?? 0;
  for (let i = to - 1; i >= from; i--) {
    aims[i] = aimsOf[node] ?? 0;
    node = parents[node] ?? 0;
  }
  return true;
}

/** Goes on with the courses `first` up to and without `end` by each of their aims; returns the end of those that follow. */
function extend(store: HeatStore, i: number, first: number, end: number, scale: SearchScale): number {
  const { lowest, worth } = scale;
  const perBucket = 1 / scale.bucketMk;
  const { next: nexts, cost: stepCosts, aim: stepAims, load: stepLoads } = store.results;
  const otherLoad = store.otherLoad[i] ?? 0;
  const start = otherLoad > 0 ? 0 : scale.start;
  const homeAfter = store.home[i + 1] ?? 0;
  const warmest = store.warmest[i] ?? 0;
  let count = end;
  for (let node = first; node < end; node++) {
    const before = costs[node] ?? 0;
    const startNow = runs[node] === 1 ? 0 : start;
    store.expand(states[node] ?? 0);
    for (let k = 0; k < store.results.count; k++) {
      const next = nexts[k] ?? 0;
      if (next > warmest) continue;
      const load = stepLoads[k] ?? 0;
      const cost = before + (stepCosts[k] ?? 0) + (load > 0 ? startNow : 0);
      const rank = cost - worth * next;
      const bucket = 1 + (((next - lowest) * perBucket) | 0);
      const slot = next === homeAfter ? HOME_SLOT : bucket < SLOTS ? bucket : SLOTS - 1;
      let target = kept[slot] ?? 0;
      if (layers[slot] !== layer) {
        layers[slot] = layer;
        target = count;
        kept[slot] = count;
        count += 1;
      } else if (rank >= (ranks[target] ?? 0)) continue;
      states[target] = next;
      costs[target] = cost;
      ranks[target] = rank;
      parents[target] = node;
      runs[target] = load + otherLoad < WHOLE_LOAD ? 0 : 1;
      aimsOf[target] = stepAims[k] ?? 0;
    }
  }
  return count;
}
