import { expect, test } from 'vitest';
import { removeInBatches } from '../../src/maintenance/batches.ts';

/** Removes `rows` rows, each of which takes so long; the sizes of the batches. */
async function sizesOf(rows: number, rowMs: number, options: { most?: number; stopAfter?: number } = {}) {
  const { most = 1_000, stopAfter = Infinity } = options;
  const sizes: number[] = [];
  let [left, nowMs] = [rows, 0];
  const removeBatch = (limit: number): Promise<number> => {
    sizes.push(limit);
    const removed = Math.min(limit, left);
    left -= removed;
    nowMs += removed * rowMs;
    return Promise.resolve(removed);
  };
  await removeInBatches(removeBatch, {
    most,
    monotonicMs: () => nowMs,
    isStopped: () => sizes.length >= stopAfter,
  });
  return sizes;
}

test('batches grow while they are quick, to the most', async () => {
  expect(await sizesOf(3_000, 0.001)).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  expect(await sizesOf(9, 0, { most: 2 })).toEqual([2, 2, 2, 2, 2]);
});

test('batches shrink where rows are dear, so that none takes 50 ms for long', async () => {
  const sizes = await sizesOf(600, 1);
  expect(sizes.slice(0, 4)).toEqual([100, 50, 25, 12]);
  expect(Math.max(...sizes.slice(3))).toBeLessThanOrEqual(24);
  expect(Math.min(...(await sizesOf(1_000, 50)))).toBe(10);
});

test('a batch that is not full is the last, and so is the one under way at a stop', async () => {
  expect(await sizesOf(0, 1)).toEqual([100]);
  expect(await sizesOf(99, 0)).toEqual([100]);
  expect(await sizesOf(10_000, 0.01, { stopAfter: 2 })).toEqual([100, 200]);
});
