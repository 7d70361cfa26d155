// Medians, and what the rounds of a run allow to be said.
import { describe, expect, test } from 'vitest';
import { compareRounds, median, noiseOf, percentile } from '../../bench/statistics.ts';
import { drawNormal, drawUniform, NOISE_CHANNEL, splitSeed } from '../../src/simulation/kernel/noise.ts';

describe('median and percentile', () => {
  test.each([
    [[], Number.NaN],
    [[3], 3],
    [[1, 9, 2], 2],
    [[1, 2, 4, 100], 3],
  ])('the median of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  test('a percentile is a value that this share is not above', () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect([percentile(values, 0.5), percentile(values, 0.99), percentile(values, 1)]).toEqual([
      51, 100, 100,
    ]);
    expect(percentile([], 0.5)).toBeNaN();
  });
});

describe('noise', () => {
  test('is what successive rounds differ by, as a share of the median; of fewer than three nothing is known', () => {
    expect(noiseOf([100, 101])).toBeNaN();
    expect(noiseOf([100, 100, 100])).toBe(0);
    const noise = noiseOf([100, 110, 100, 110, 100]);
    expect(noiseOf([1000, 1100, 1000, 1100, 1000])).toBeCloseTo(noise, 12);
    expect(noiseOf([100, 120, 100, 120, 100])).toBeCloseTo(2 * noise, 12);
  });

  test('a machine that slowly becomes another one counts for less than one that jumps as far', () => {
    const drift = [100, 102, 104, 106, 108, 110, 112];
    const jumps = [100, 112, 102, 110, 104, 108, 106];
    expect(noiseOf(drift)).toBeLessThan(noiseOf(jumps) / 2);
  });
});

describe('two versions by turns', () => {
  const seed = splitSeed(11);
  let drawn = 0;
  const normal = (): number => drawNormal(seed, 0, NOISE_CHANNEL.quarterLevel, drawn++);
  const uniform = (): number => drawUniform(seed, 1, NOISE_CHANNEL.quarterLevel, drawn++);
  /** Rounds of a machine that drifts, with now and then one that takes longer. */
  const measure = (rounds: number, factor: number): [now: number[], then: number[]] => {
    const now: number[] = [];
    const then: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const machine = 1000 * (1 + 0.02 * round);
      const one = (): number => machine * (1 + 0.03 * normal()) * (uniform() < 0.05 ? 0.8 : 1);
      now.push(one() * factor);
      then.push(one());
    }
    return [now, then];
  };
  const shareBeyondNoise = (rounds: number, factor: number): number => {
    const runs = Array.from({ length: 2_000 }, () => compareRounds(...measure(rounds, factor)));
    return runs.filter(({ isBeyondNoise }) => isBeyondNoise).length / runs.length;
  };

  test.each([5, 7, 9])(
    'with %i rounds of the same version less than one row in a hundred moves',
    (rounds) => {
      expect(shareBeyondNoise(rounds, 1)).toBeLessThan(0.01);
    },
  );

  test.each([
    [7, 1.2],
    [9, 0.8],
  ])('with %i rounds a factor of %d is found in nine of ten runs', (rounds, factor) => {
    expect(shareBeyondNoise(rounds, factor)).toBeGreaterThan(0.9);
  });

  test('the change is that of the rounds, and with too few of them nothing is beyond noise', () => {
    expect(compareRounds([110, 220, 330], [100, 200, 300]).change).toBeCloseTo(0.1, 12);
    expect(compareRounds([200, 200], [100, 100])).toEqual({
      change: 1,
      noise: Number.NaN,
      isBeyondNoise: false,
    });
    expect(compareRounds([200, 200, 200], [100, 100, 100])).toEqual({
      change: 1,
      noise: 0,
      isBeyondNoise: true,
    });
  });
});
