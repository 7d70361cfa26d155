import { expect, test } from 'vitest';
import fc from 'fast-check';
import {
  BlendWeights,
  NoiseField,
  RememberedNoise,
  autoregressiveResponse,
} from '../../../src/simulation/environment/noise-field.ts';
import { splitSeed } from '../../../src/simulation/kernel/noise.ts';

const SCALE = { spacingKm: 220, reachKm: 520 };
const BUCKETS = 400;
const fieldAt = (latitude: number, longitude: number, seed = 42) =>
  new NoiseField(splitSeed(seed), 65, SCALE, latitude, longitude);
const valuesOf = (field: NoiseField) => Array.from({ length: BUCKETS }, (_, bucket) => field.at(bucket));
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const correlation = (a: readonly number[], b: readonly number[]) =>
  mean(a.map((value, i) => value * (b[i] ?? 0))) /
  Math.sqrt(mean(a.map((value) => value * value)) * mean(b.map((value) => value * value)));

test('a field has mean 0 and variance 1 wherever one looks, the poles and the date line too', () => {
  const places = Array.from(
    { length: 60 },
    (_, i) => [((i * 37.7) % 181) - 90, ((i * 71.3) % 360) - 180] as const,
  );
  const variances = [...places, [90, 0], [-90, 10], [0, 180], [60, -180]].map(
    ([latitude = 0, longitude = 0]) => {
      const values = valuesOf(fieldAt(latitude, longitude));
      expect(Math.abs(mean(values))).toBeLessThan(0.25);
      return mean(values.map((value) => value * value));
    },
  );
  expect(Math.min(...variances)).toBeGreaterThan(0.7);
  expect(Math.max(...variances)).toBeLessThan(1.35);
  expect(mean(variances)).toBeGreaterThan(0.95);
  expect(mean(variances)).toBeLessThan(1.05);
});

test('neighbours share it, across the date line and over the poles; places far apart do not', () => {
  const pairs: readonly (readonly [number, number, number, number])[] = [
    [50, 10, 50.2, 10],
    [-17, 179.95, -17, -179.95],
    [89.95, 0, 89.95, 180],
    [-89.95, 90, -89.95, -90],
    [66.5, 180, 66.5, -180],
  ];
  for (const [a, b, c, d] of pairs) {
    expect(correlation(valuesOf(fieldAt(a, b)), valuesOf(fieldAt(c, d)))).toBeGreaterThan(0.98);
  }
  expect(Math.abs(correlation(valuesOf(fieldAt(50, 10)), valuesOf(fieldAt(50, 30))))).toBeLessThan(0.2);
  expect(Math.abs(correlation(valuesOf(fieldAt(50, 10)), valuesOf(fieldAt(50, 10, 43))))).toBeLessThan(0.2);
});

test('no lattice shows: how alike two places are depends on their distance, not on where they are', () => {
  const likeness = Array.from({ length: 40 }, (_, i) => {
    const [latitude, longitude] = [35 + 0.5 * i, 5 + 0.7 * i];
    const east = 110 / (111.2 * Math.cos((latitude * Math.PI) / 180));
    return correlation(valuesOf(fieldAt(latitude, longitude)), valuesOf(fieldAt(latitude, longitude + east)));
  });
  const middle = mean(likeness);
  const spread = Math.sqrt(mean(likeness.map((each) => (each - middle) ** 2)));
  expect(middle).toBeGreaterThan(0.75);
  expect(spread).toBeLessThan(0.06);
});

test('between two values the variance stays 1', () => {
  const { from, to } = new BlendWeights(12, 0.5, 1);
  for (const [step, weight] of from.entries()) expect(weight ** 2 + (to[step] ?? 0) ** 2).toBeCloseTo(1, 9);
});

test('what days remember is as asked: the autocorrelations of the first two lags', () => {
  for (const [first, second] of [
    [0.7, 0.42],
    [0.63, 0.27],
    [0.25, 0.08],
  ] as const) {
    const response = autoregressiveResponse(first, second, 12);
    const product = (lag: number) =>
      Array.from(response).reduce((sum, value, age) => sum + value * (response[age + lag] ?? 0), 0);
    expect(product(0)).toBeCloseTo(1, 9);
    expect(product(1)).toBeCloseTo(first, 1);
    expect(product(2)).toBeCloseTo(second, 1);
  }
});

test('a day remembers alike in whatever order days are asked for', () => {
  const noise = () => new RememberedNoise([fieldAt(47, 15)], [1], autoregressiveResponse(0.7, 0.42, 12));
  const walked = noise();
  const inOrder = Array.from({ length: 60 }, (_, day) => walked.at(20_000 + day));
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 59 }), { minLength: 1, maxLength: 30 }), (days) => {
      const jumped = noise();
      for (const day of days) expect(jumped.at(20_000 + day)).toBe(inOrder[day]);
    }),
    { numRuns: 30 },
  );
});
