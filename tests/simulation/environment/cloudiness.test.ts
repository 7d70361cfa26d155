import { expect, test } from 'vitest';
import { dailyClearness } from '../../../src/simulation/environment/cloudiness.ts';

/** Normal numbers in equal parts of their probability. */
const STEPS = 801;
const NORMAL = Array.from({ length: STEPS }, (_, i) => -4 + (8 * i) / (STEPS - 1));
const WEIGHTS = NORMAL.map((g) => Math.exp((-g * g) / 2));
const TOTAL = WEIGHTS.reduce((sum, weight) => sum + weight, 0);

function momentsOf(mean: number, deviation: number, clear: number): { mean: number; deviation: number } {
  let [first, second] = [0, 0];
  for (const [i, g] of NORMAL.entries()) {
    const value = dailyClearness(mean, deviation, clear, g);
    const weight = (WEIGHTS[i] ?? 0) / TOTAL;
    first += weight * value;
    second += weight * value * value;
  }
  return { mean: first, deviation: Math.sqrt(second - first * first) };
}

test('the days of a season have the mean and the spread of the season, from dark winters to deserts', () => {
  for (const mean of [0.2, 0.3, 0.4, 0.5, 0.6, 0.65]) {
    for (const deviation of [0.06, 0.1, 0.15, 0.18]) {
      const met = momentsOf(mean, deviation, 0.74);
      expect(Math.abs(met.mean - mean), `mean of ${mean} ${deviation}`).toBeLessThan(0.01);
      expect(met.deviation / deviation, `spread of ${mean} ${deviation}`).toBeGreaterThan(0.9);
      expect(met.deviation / deviation, `spread of ${mean} ${deviation}`).toBeLessThan(1.1);
    }
  }
});

test('a clearer sky lets more light through, never less than the darkest nor more than the clearest', () => {
  for (const clear of [0.3, 0.6, 0.75]) {
    const values = NORMAL.map((g) => dailyClearness(0.4, 0.15, clear, g));
    for (const [i, value] of values.entries()) {
      expect(value).toBeGreaterThanOrEqual(values[i - 1] ?? 0);
      expect(value).toBeGreaterThan(0.03);
      expect(value).toBeLessThan(0.81);
    }
  }
});
