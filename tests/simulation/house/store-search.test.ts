import { expect, test } from 'vitest';
import { AIM, searchStore } from '../../../src/simulation/house/store-search.ts';
import type { HeatStore } from '../../../src/simulation/house/store-search.ts';

const HOME = 20_000;
const COOLING = 100;

/** A store that may be heated in the first of two quarter hours, a little too much for less, and cools by 0.1 K in the second. */
class CoolingStore implements HeatStore {
  readonly home = new Int32Array([HOME, HOME, HOME]);
  readonly results = { count: 0, next: [0], cost: [0], aim: [0], load: [0] };
  readonly warmest = new Float64Array(2);
  readonly otherLoad = new Float64Array(2);
  #at = 0;

  findWarmest(from: number, to: number): void {
    for (let i = from; i < to; i++) this.warmest[i] = HOME + COOLING * (to - 1 - i);
  }

  enter(i: number): void {
    this.#at = i;
  }

  expand(now: number): void {
    const { results } = this;
    results.count = 0;
    const add = (next: number, cost: number, aim: number): void => {
      results.next[results.count] = next;
      results.cost[results.count] = cost;
      results.aim[results.count] = aim;
      results.load[results.count] = 0;
      results.count += 1;
    };
    if (this.#at === 1) {
      add(now - COOLING, 0, AIM.low);
      return;
    }
    add(HOME + COOLING, 20, AIM.home);
    add(HOME + COOLING + 10, 1, AIM.high);
  }
}

test('a course that is too warm to come home takes the place of none that does', () => {
  const aims = new Uint8Array(2);
  const scale = { lowest: 0, bucketMk: 100_000, worth: 0, start: 0 };
  expect(searchStore(new CoolingStore(), { from: 0, to: 2 }, HOME, scale, aims)).toBe(true);
  expect([...aims]).toEqual([AIM.home, AIM.low]);
});
