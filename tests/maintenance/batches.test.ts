import { expect, test } from 'vitest';
import { removeInBatches } from '../../src/maintenance/batches.ts';

interface Options {
  readonly most?: number;
  readonly mostMs?: number;
  readonly stopAfter?: number;
}

/** Removes `rows` rows, each of which takes so long; the sizes of the batches, and whether more may be left. */
async function removeRows(rows: number, rowMs: number, options: Options = {}) {
  const { most = 1_000, mostMs = Infinity, stopAfter = Infinity } = options;
  const sizes: number[] = [];
  let [left, nowMs] = [rows, 0];
  const removeBatch = (limit: number): Promise<number> => {
    sizes.push(limit);
    const removed = Math.min(limit, left);
    left -= removed;
    nowMs += removed * rowMs;
    return Promise.resolve(removed);
  };
  const isLeft = await removeInBatches(removeBatch, {
    most,
    mostMs,
    monotonicMs: () => nowMs,
    isStopped: () => sizes.length >= stopAfter,
  });
  return { sizes, isLeft };
}

const sizesOf = async (...parameters: Parameters<typeof removeRows>): Promise<number[]> =>
  (await removeRows(...parameters)).sizes;

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

test('no batch begins once the time of a removal is over, which tells that more may be left', async () => {
  const tenSeconds = { mostMs: 10_000 };
  // 5 s, 2.5, 1.25, 0.6 and 0.5 twice.
  expect(await removeRows(10_000, 50, tenSeconds)).toEqual({
    sizes: [100, 50, 25, 12, 10, 10],
    isLeft: true,
  });
  expect(await removeRows(150, 50, tenSeconds)).toEqual({ sizes: [100, 50, 25], isLeft: false });
  expect(await removeRows(10_000, 1_000, tenSeconds)).toEqual({ sizes: [100], isLeft: true });
  // A batch that is not full is the last, whatever it took.
  expect(await removeRows(99, 1_000, tenSeconds)).toEqual({ sizes: [100], isLeft: false });
});
