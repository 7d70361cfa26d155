import { expect, test } from 'vitest';
import fc from 'fast-check';
import { packIntoRuns } from '../../../src/simulation/house/compressor-runs.ts';
import { sum } from './houses.ts';

test('runs keep the heat and electricity of their window, and give at least the least heat when they can', () => {
  const quarter = fc.record({ part: fc.double({ min: 0.01, max: 0.99, noNaN: true }), cycles: fc.boolean() });
  fc.assert(
    fc.property(fc.array(quarter, { minLength: 96, maxLength: 96 }), fc.nat(7), (quarters, phase) => {
      const least = new Float64Array(96).fill(1000);
      const before = Float64Array.from(quarters, ({ part, cycles }) => (cycles ? part : 1 + part) * 1000);
      const heat = before.slice();
      const electric = before.map((each) => each / 3);
      const cycles = Uint8Array.from(quarters, (each) => (each.cycles ? 1 : 0));
      packIntoRuns({ roomHeat: heat, electric, cycles, least }, { from: 0, to: 96 }, phase);
      for (let start = 0; start < 96; start += 8) {
        const window = (values: Float64Array): number => sum(values.subarray(start, start + 8));
        expect(window(heat)).toBeCloseTo(window(before), 6);
        expect(window(electric)).toBeCloseTo(window(before) / 3, 6);
        const runs = Array.from(heat.subarray(start, start + 8)).filter((value) => value > 0);
        const cycling = before.subarray(start, start + 8).filter((_, i) => cycles[start + i] === 1);
        const total = sum(cycling);
        if (total >= 1000) expect(Math.min(...runs)).toBeGreaterThanOrEqual(1000);
      }
      for (let i = 0; i < 96; i++) if (cycles[i] === 0) expect(heat[i]).toBe(before[i]);
    }),
  );
});

test('the phase says which quarter hours of a window run, around its end', () => {
  const heat = new Float64Array(96).fill(0).fill(300, 0, 8);
  const electric = heat.map((each) => each / 3);
  const least = new Float64Array(96).fill(1000);
  const cycles = new Uint8Array(96).fill(1, 0, 8);
  packIntoRuns({ roomHeat: heat, electric, cycles, least }, { from: 0, to: 96 }, 7);
  expect(Array.from(heat.subarray(0, 8))).toEqual([1200, 0, 0, 0, 0, 0, 0, 1200]);
});

test('what a plan or somebody cuts off is packed by itself', () => {
  const heat = new Float64Array(16).fill(300);
  const electric = heat.map((each) => each / 3);
  const least = new Float64Array(16).fill(1000);
  packIntoRuns(
    { roomHeat: heat, electric, cycles: new Uint8Array(16).fill(1), least },
    { from: 3, to: 8 },
    0,
  );
  expect(Array.from(heat)).toEqual([300, 300, 300, 1500, 0, 0, 0, 0, ...new Array<number>(8).fill(300)]);
});
