import { expect, test } from 'vitest';
import {
  logNormalOfHash,
  normalOfHash,
  tabulateLogNormal,
} from '../../../src/simulation/kernel/normal-table.ts';

test('tabulated numbers are standard normal', () => {
  // Quantiles of the standard normal distribution, in the middle of an entry of the table.
  const known = [
    [0.5 + 0.5 / 4096, 0.000306],
    [0.841308594, 0.99985],
    [0.975219727, 1.96378],
    [0.998657227, 3.0028],
    [4095.5 / 4096, 3.6682],
  ] as const;
  for (const [probability, quantile] of known) {
    expect(normalOfHash(Math.floor(probability * 2 ** 32))).toBeCloseTo(quantile, 2);
    expect(normalOfHash(Math.floor((1 - probability) * 2 ** 32))).toBeCloseTo(-quantile, 2);
  }
  let [mean, square] = [0, 0];
  for (let entry = 0; entry < 4096; entry++) {
    const value = normalOfHash(entry * 2 ** 20);
    mean += value / 4096;
    square += value ** 2 / 4096;
  }
  expect(mean).toBeCloseTo(0, 10);
  expect(square).toBeCloseTo(1, 2);
});

test('tabulated factors are those of the numbers of the same hash', () => {
  const factors = tabulateLogNormal(0.7);
  for (const hash of [0, 1, 2 ** 20, 123_456_789, 2 ** 31, 2 ** 32 - 1]) {
    expect(logNormalOfHash(factors, hash)).toBe(Math.exp(0.7 * normalOfHash(hash)));
  }
});
