import { expect, test } from 'vitest';
import { ARCHETYPES } from '../../../src/simulation/household/profiles.ts';
import { splitSeed } from '../../../src/simulation/kernel/noise.ts';
import { ApplianceRuns } from '../../../src/simulation/people/appliance-runs.ts';
import { APPLIANCES, QUARTERS_AFTER_MIDNIGHT } from '../../../src/simulation/people/appliances.ts';
import {
  MEAN_BASE_SHARE,
  eventCurvesOf,
  tableAnnualKwhOf,
} from '../../../src/simulation/people/event-curves.ts';
import type { EventCurves } from '../../../src/simulation/people/event-curves.ts';
import { fillRest } from '../../../src/simulation/people/expected-day.ts';
import { BLOCKS } from '../../../src/simulation/people/occupancy.ts';
import { drawOwnedAppliances } from '../../../src/simulation/people/owned-appliances.ts';
import { DAY_TYPES } from '../../../src/simulation/time/day-type.ts';
import { first, households } from '../fleet.ts';

const base = first(households({ count: 1 }));
const QUARTERS = 96;

/** Expected energies of all runs in the quarter hours of a day, mWh. */
function expectedRuns({ energies }: EventCurves, factors: Float64Array, part: number): Float64Array {
  const expected = new Float64Array(QUARTERS);
  for (const [at, energy] of energies.entries()) {
    const quarter = at % QUARTERS;
    expected[quarter] = (expected[quarter] ?? 0) + part * (factors[Math.floor(at / QUARTERS)] ?? 0) * energy;
  }
  return expected;
}

test('expected runs and rest are the curve of the archetype above the base, whatever a household owns', () => {
  for (const { name } of ARCHETYPES) {
    for (const [index, annual] of [600, 2000, 5000, 12_000].entries()) {
      const household = { ...base, index, profile: name, load_annual_kwh: annual };
      const { starts, power } = drawOwnedAppliances(household);
      const energyFactors = starts.map((value, i) => value * (power[i] ?? 0));
      const scale = (annual * 1e6) / 35_040;
      const curves = eventCurvesOf(name, index * 3, DAY_TYPES[index % 3] ?? 'workday');
      for (const lateness of [0, 0.9]) {
        const rest = new Float64Array(QUARTERS);
        const part = fillRest({ curves, scale, energyFactors, lateness, lateMinutes: 0 }, rest);
        const runs = expectedRuns(curves, energyFactors, part);
        const wanted = curves.curve.map((load) => scale * (load - MEAN_BASE_SHARE));
        const got = rest.map((value, i) => value + (runs[i] ?? 0));
        expect(Math.min(...rest)).toBeGreaterThanOrEqual(0);
        expect(got.reduce((a, b) => a + b)).toBeCloseTo(
          wanted.reduce((a, b) => a + b),
          0,
        );
        if (lateness === 0) {
          expect(Math.max(...got.map((value, i) => Math.abs(value - (wanted[i] ?? 0))))).toBeLessThan(
            0.01 * scale,
          );
        }
      }
    }
  }
});

test('an ordinary household starts its appliances as often as the table says', () => {
  let [parts, count] = [0, 0];
  for (const household of households({ count: 100 })) {
    const { starts, power } = drawOwnedAppliances(household);
    const energyFactors = starts.map((value, i) => value * (power[i] ?? 0));
    const curves = eventCurvesOf(household.profile, 4, 'workday');
    const scale = (household.load_annual_kwh * 1e6) / 35_040;
    parts += fillRest(
      { curves, scale, energyFactors, lateness: 0, lateMinutes: 0 },
      new Float64Array(QUARTERS),
    );
    count += 1;
  }
  expect(parts / count).toBeGreaterThan(0.85);
});

test('runs have the mean of the table: how many, when, and what they take', () => {
  const annual = tableAnnualKwhOf('couple_retired');
  const curves = eventCurvesOf('couple_retired', 10, 'saturday');
  const owned = {
    starts: new Float64Array(APPLIANCES.length).fill(1),
    power: new Float64Array(APPLIANCES.length).fill(1),
  };
  const runs = new ApplianceRuns(splitSeed(5), 3, owned, 0);
  const sums = new Float64Array(QUARTERS + QUARTERS_AFTER_MIDNIGHT);
  const days = 20_000;
  for (let day = 0; day < days; day++) runs.addRuns(day, curves, new Float64Array(BLOCKS).fill(1), sums);
  const expected = expectedRuns(curves, owned.starts, 1);
  const meanMilliWh = (annual * 1e6) / 35_040;
  for (let i = 0; i < QUARTERS; i++) {
    const overMidnight = i < QUARTERS_AFTER_MIDNIGHT ? (sums[QUARTERS + i] ?? 0) : 0;
    const got = ((sums[i] ?? 0) + overMidnight) / days;
    expect(Math.abs(got - (expected[i] ?? 0)) / meanMilliWh).toBeLessThan(0.06);
  }
  const total = (values: Float64Array): number => values.reduce((a, b) => a + b, 0);
  expect(total(sums) / days / total(expected)).toBeGreaterThan(0.99);
  expect(total(sums) / days / total(expected)).toBeLessThan(1.01);
});

test('blocks in which nobody is at home have no starts', () => {
  const household = { ...base, profile: 'single_working' };
  const runs = new ApplianceRuns(splitSeed(5), 3, drawOwnedAppliances(household), 0);
  const sums = new Float64Array(QUARTERS + QUARTERS_AFTER_MIDNIGHT);
  const factors = new Float64Array(BLOCKS);
  factors[5] = 1;
  for (let day = 0; day < 500; day++)
    runs.addRuns(day, eventCurvesOf('single_working', 0, 'workday'), factors, sums);
  expect(Math.max(...sums.subarray(0, 76))).toBe(0);
  expect(Math.max(...sums.subarray(76))).toBeGreaterThan(0);
});
