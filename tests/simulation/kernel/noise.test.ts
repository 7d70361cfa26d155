import { expect, test } from 'vitest';
import fc from 'fast-check';
import {
  hashCounter,
  pickIndexByShares,
  splitSeed,
  drawUniform,
  drawUniformInteger,
} from '../../../src/simulation/kernel/noise.ts';
import { ValueNoise3d, ValueNoiseOverTime } from '../../../src/simulation/kernel/value-noise.ts';

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

test('value noise is continuous and keeps to 0..1', () => {
  const lattice = new ValueNoise3d(splitSeed(42), 60);
  const noise = (x: number, y: number, z: number) => lattice.at(x, y, z);
  fc.assert(
    fc.property(fc.double({ min: -1e5, max: 1e6, noNaN: true }), (x) => {
      const value = noise(x, x / 3, x / 7);
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThanOrEqual(1);
      expect(Math.abs(noise(x + 1e-4, x / 3, x / 7) - value)).toBeLessThan(1e-3);
    }),
  );
});

test('a column of value noise is the lattice at whole steps of time', () => {
  const column = new ValueNoiseOverTime(splitSeed(42), 60, 12.3, -4.7);
  const lattice = new ValueNoise3d(splitSeed(42), 60);
  for (let z = -3; z < 50; z++) expect(column.at(z)).toBeCloseTo(lattice.at(12.3, -4.7, z), 12);
});

test('value noise does not depend on what was asked before', () => {
  const step = fc.tuple(
    fc.integer({ min: -2, max: 2 }),
    fc.integer({ min: -1, max: 1 }),
    fc.integer({ min: -2, max: 2 }),
  );
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 20 }), (steps) => {
      const walked = new ValueNoise3d(splitSeed(42), 60);
      let [x, y, z] = [3.2, -1.7, 8.4];
      for (const [east, north, later] of steps) {
        [x, y, z] = [x + east, y + north, z + later];
        expect(walked.at(x, y, z)).toBe(new ValueNoise3d(splitSeed(42), 60).at(x, y, z));
      }
    }),
  );
});
