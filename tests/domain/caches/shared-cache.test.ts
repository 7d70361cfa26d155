import { expect, test } from 'vitest';
import { SharedCache } from '../../../src/domain/caches/shared-cache.ts';

/** A cache of so many entries, and what was not kept of the keys that were asked for. */
function cacheOf(capacity: number) {
  const cache = new SharedCache<string>(capacity);
  const computed: string[] = [];
  const ask = (partnerId: string, ...numbers: readonly number[]): void => {
    for (const number of numbers) {
      const key = `${partnerId}${number}`;
      const value = cache.getOrCompute(key, partnerId, () => {
        computed.push(key);
        return key;
      });
      expect(value).toBe(key);
    }
  };
  /** What of this is computed anew. */
  const missing = (partnerId: string, ...numbers: readonly number[]): string[] => {
    computed.length = 0;
    ask(partnerId, ...numbers);
    return [...computed];
  };
  return { ask, missing };
}
const upTo = (count: number): number[] => Array.from({ length: count }, (_, number) => number);

test('what was not asked for longest goes first', () => {
  const { ask, missing } = cacheOf(4);
  ask('a', 0, 1, 2, 3);
  ask('a', 0);
  ask('a', 4);
  expect(missing('a', 0, 2, 3, 4)).toEqual([]);
  expect(missing('a', 1)).toEqual(['a1']);
});

test('a partner that asks for ever more loses its own, and no other partner one', () => {
  const { ask, missing } = cacheOf(100);
  ask('b', ...upTo(10));
  ask('a', ...upTo(1_000));
  expect(missing('b', ...upTo(10))).toEqual([]);
  // Nobody else needed them: all the rest was its own.
  expect(missing('a', ...upTo(1_000).slice(-90))).toEqual([]);
});

test('a partner that comes later gets its part from who has more', () => {
  const { ask, missing } = cacheOf(100);
  ask('a', ...upTo(100));
  ask('b', ...upTo(50));
  expect(missing('b', ...upTo(50))).toEqual([]);
  ask('a', ...upTo(1_000));
  expect(missing('b', ...upTo(50))).toEqual([]);
  ask('b', ...upTo(51));
  expect(missing('a', ...upTo(1_000).slice(-50))).toEqual([]);
});

test('of more partners than there are entries each has what it asks for last, until others ask', () => {
  const { ask, missing } = cacheOf(4);
  for (const partnerId of ['a', 'b', 'c', 'd', 'e']) ask(partnerId, 0);
  expect(missing('e', 0)).toEqual([]);
  expect(missing('a', 0)).toEqual(['a0']);
});

test('by sizes as many go as are needed, of a partner beyond its part its own, and what is larger than all is not kept', () => {
  const cache = new SharedCache<number>(100);
  const kept = () => ['a', 'b'].map((id) => upTo(12).filter((n) => cache.peek(`${id}${n}`) !== undefined));
  for (const number of upTo(4)) cache.set(`b${number}`, number, 'b', 5);
  for (const number of upTo(8)) cache.set(`a${number}`, number, 'a', 10);
  expect(kept()).toEqual([upTo(8), upTo(4)]);
  cache.set('a8', 8, 'a', 25);
  expect(kept()).toEqual([[3, 4, 5, 6, 7, 8], upTo(4)]);
  cache.set('a3', 3, 'a', 101);
  expect(kept()).toEqual([[4, 5, 6, 7, 8], upTo(4)]);
});
