import { describe, expect, test } from 'vitest';
import { HotWaterDraws, tankGoals } from '../../../src/simulation/house/hot-water.ts';
import { splitSeed } from '../../../src/simulation/kernel/noise.ts';
import { sum } from './houses.ts';

const seed = splitSeed(7);
const litresOn = (index: number, persons: number, localDay: number): Float64Array => {
  const litres = new Float64Array(96);
  new HotWaterDraws(seed, index, persons, () => false).addTo(
    litres,
    { from: 0, to: 96, localDay, localQuarter: 0 },
    1,
  );
  return litres;
};

describe('draws', () => {
  test('are 60 l of 40 C a person and day in the mean of homes, most of it in mornings and evenings', () => {
    const days = Array.from({ length: 300 }, (_, index) => litresOn(index, 3, index % 50));
    const mean = sum(days.map(sum)) / days.length / 3;
    expect(mean).toBeGreaterThan(54);
    expect(mean).toBeLessThan(66);
    const between = (from: number, to: number): number =>
      sum(days.map((day) => sum(day.subarray(4 * from, 4 * to)))) / (mean * 3 * days.length);
    expect(between(6, 9)).toBeGreaterThan(0.29);
    expect(between(17, 23)).toBeGreaterThan(0.33);
    expect(between(0, 6)).toBeLessThan(0.05);
  });

  test('are none on days on which all are away, and the same as ever on others', () => {
    const draws = new HotWaterDraws(seed, 3, 3, (localDay) => localDay === 12);
    const litres = new Float64Array(96);
    draws.addTo(litres, { from: 0, to: 96, localDay: 12, localQuarter: 0 }, 1);
    expect(sum(litres)).toBe(0);
    draws.addTo(litres, { from: 0, to: 96, localDay: 13, localQuarter: 0 }, 1);
    expect(litres).toEqual(litresOn(3, 3, 13));
  });

  test('of a day that is cut into segments are those of the whole', () => {
    const draws = new HotWaterDraws(seed, 1, 4, () => false);
    const cut = new Float64Array(96);
    draws.addTo(cut, { from: 8, to: 96, localDay: 100, localQuarter: 0 }, 1);
    draws.addTo(cut, { from: 0, to: 8, localDay: 100, localQuarter: 88 }, 1);
    const whole = litresOn(1, 4, 100);
    expect(Array.from(cut.subarray(8))).toEqual(Array.from(whole.subarray(0, 88)));
    expect(Array.from(cut.subarray(0, 8))).toEqual(Array.from(whole.subarray(88)));
  });
});

test('tanks are heated at hours of their own, all over the day', () => {
  const goals = Array.from({ length: 200 }, (_, index) => tankGoals(seed, index, 50));
  const starts = goals.flatMap((goal) => goal.findIndex((value) => value === 50_000) >> 2);
  expect(new Set(starts).size).toBeGreaterThan(15);
  for (const goal of goals) {
    expect(Math.max(...goal)).toBe(50_000);
    expect(Math.min(...goal)).toBe(36_000);
  }
});
