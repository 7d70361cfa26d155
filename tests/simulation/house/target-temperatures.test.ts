import { expect, test } from 'vitest';
import { TargetWander, comfortTargets } from '../../../src/simulation/house/target-temperatures.ts';
import { splitSeed } from '../../../src/simulation/kernel/noise.ts';
import { dayNumber, dayOf, heatedHouseholds, simulationOf, sum } from './houses.ts';

const DAYS = 60;
const wander = new TargetWander(splitSeed(7), 3);

/** The wander of days, each written in two parts. */
function walk(cut: number): number[] {
  return Array.from({ length: DAYS }, (_, localDay) => {
    const targets = new Int32Array(96);
    wander.addTo(targets, { from: 0, to: cut, localDay, localQuarter: 0 });
    wander.addTo(targets, { from: cut, to: 96, localDay, localQuarter: cut });
    return [...targets];
  }).flat();
}

test('targets wander by half a kelvin to either side, evenly and around nothing', () => {
  const whole = walk(96);
  expect(Math.max(...whole.map(Math.abs))).toBeLessThanOrEqual(500);
  expect(Math.max(...whole.map(Math.abs))).toBeGreaterThan(400);
  const steps = whole.slice(1).map((target, i) => Math.abs(target - (whole[i] ?? NaN)));
  expect(Math.max(...steps)).toBeLessThanOrEqual(1000 / 16 + 1);
  expect(Math.abs(whole.reduce((sum, each) => sum + each, 0) / whole.length)).toBeLessThan(50);
});

test('how a target wanders does not depend on where a day is cut', () => {
  for (const cut of [0, 1, 16, 50, 95]) expect(walk(cut)).toEqual(walk(96));
});

const HOMES = heatedHouseholds(52.5, 13.4, { count: 300 });

test('a night set-back is at most 1.5 K and ends by half a kelvin an hour, in the morning', () => {
  const setBack = HOMES.filter(({ heat_pump: { building } }) => building.night_setback_k > 0);
  expect(setBack.length).toBeGreaterThan(10);
  for (const { seed, index, heat_pump: pump } of setBack) {
    const targets = comfortTargets(splitSeed(seed), index, pump.building);
    const comfort = Math.max(...targets);
    expect(comfort - Math.min(...targets)).toBeLessThanOrEqual(1500);
    const steps = Array.from(targets.subarray(1), (next, i) => next - (targets[i] ?? 0));
    expect(Math.max(...steps)).toBeLessThanOrEqual(126);
    // From 9 to 20 h nobody sets back, and until 2 h nobody heats up again.
    expect(new Set(targets.subarray(36, 80))).toEqual(new Set([comfort]));
    expect(steps.slice(0, 7).every((step) => step <= 0)).toBe(true);
  }
});

test('on cold days heat pumps together run most in the morning, not at night', () => {
  const first = dayNumber('2025-01-13');
  const hours = new Float64Array(24);
  for (const household of HOMES) {
    const simulation = simulationOf(household);
    for (let day = first; day < first + 7; day++) {
      const { hp } = dayOf(simulation, day);
      for (let i = 0; i < 96; i++)
        hours[((i >> 2) + 1) % 24] = (hours[((i >> 2) + 1) % 24] ?? 0) + (hp[i] ?? 0);
    }
  }
  const highest = Math.max(...hours);
  expect(hours.indexOf(highest)).toBeGreaterThanOrEqual(5);
  expect(hours.indexOf(highest)).toBeLessThanOrEqual(9);
  expect(sum(hours.subarray(0, 4)) / 4 / highest).toBeLessThan(0.88);
});
