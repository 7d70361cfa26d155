import { expect, test } from 'vitest';
import { TargetWander } from '../../../src/simulation/house/target-temperatures.ts';
import { splitSeed } from '../../../src/simulation/kernel/noise.ts';

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
