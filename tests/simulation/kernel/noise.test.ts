import { expect, test } from 'vitest';
import fc from 'fast-check';
import {
  hashCounter,
  pickIndexByShares,
  splitSeed,
  drawUniform,
  drawUniformInteger,
} from '../../../src/simulation/kernel/noise.ts';

test('both halves of a seed count', () => {
  const seeds = [42, 42 + 2 ** 32, 42 + 2 ** 33, Number.MAX_SAFE_INTEGER, 0];
  const streams = seeds.map((seed) => [0, 1, 2, 3].map((i) => hashCounter(splitSeed(seed), i, 1, i)).join());
  expect(new Set(streams).size).toBe(seeds.length);
});

test('the stream of a seed stays what it is', () => {
  expect([42, 42 + 2 ** 32, 2 ** 53 - 1].map((seed) => hashCounter(splitSeed(seed), 1, 2, 3)))
    .toMatchInlineSnapshot(`
   [
     1590158415,
     2475872980,
     1781561404,
   ]
  `);
});

test('draws are uniform over their range', () => {
  const counts = new Array<number>(10).fill(0);
  for (let i = 0; i < 100_000; i++) {
    const bin = Math.floor(10 * drawUniform(splitSeed(7), i, 5, 0));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  // Nine degrees of freedom: 33.7 is exceeded once in ten thousand streams.
  const chiSquare = counts.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0);
  expect(chiSquare).toBeLessThan(33.7);
});

test('integers stay within their bounds and reach them', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.integer({ min: -50, max: 50 }), fc.nat(20), (seed, min, width) => {
      const value = drawUniformInteger(splitSeed(seed), 3, 9, min, min + width);
      expect(Number.isInteger(value) && value >= min && value <= min + width).toBe(true);
    }),
  );
  const drawn = Array.from({ length: 200 }, (_, i) => drawUniformInteger(splitSeed(1), i, 9, 1, 3));
  expect([...new Set(drawn)].sort()).toEqual([1, 2, 3]);
});

test('a share of zero is never picked', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (hashed) => {
      expect(pickIndexByShares([0, 3, 0, 1, 0], hashed) % 2).toBe(1);
    }),
  );
});
