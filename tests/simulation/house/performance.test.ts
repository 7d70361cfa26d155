import { expect, test } from 'vitest';
import { HeatPumpPerformance } from '../../../src/simulation/house/performance.ts';
import { heatedHouseholds } from './houses.ts';

const [household] = heatedHouseholds(48.2, 16.4);
if (!household) throw new Error('no house');
const pump = { ...household.heat_pump, source: 'air', efficiency: 1, design_flow_c: 40 } as const;
const air = new HeatPumpPerformance({ ...pump, design_temperature_c: -12, heat_output_w: 8000 });
const ground = new HeatPumpPerformance({ ...pump, source: 'ground', heat_output_w: 8000 });

test('a heat pump is the better the warmer it is outside, but for ice on the evaporator', () => {
  const cops = [-15, -10, -5, 10, 15].map((outdoorC) => air.roomCop(outdoorC, 8, 1));
  expect(cops).toEqual([...cops].sort((a, b) => a - b));
  // When2Heat's fit at a lift of 33 K, flow 33.1 C at 4 C outdoors less a tenth for defrost.
  const lift = 28 + (12 * 12) / 28 - 4;
  expect(air.roomCop(4, 8, 1)).toBeCloseTo(0.9 * (6.0801 - 0.0941 * lift + 0.0005 * lift * lift), 6);
  expect(air.roomCop(7, 8, 1)).toBeGreaterThan(air.roomCop(4.9, 8, 1) * 1.05);
});

test('cycling costs up to 8 %, and a tank more than the rooms', () => {
  expect(air.roomCop(10, 8, 0.01) / air.roomCop(10, 8, 1)).toBeCloseTo(0.92, 2);
  expect(air.tankCop(10, 8)).toBeLessThan(air.roomCop(10, 8, 1));
});

test('output falls by 2 % a kelvin with air and not with ground', () => {
  const outdoorC = Float64Array.of(7, -8, -40, 60);
  const mostHeat = (performance: HeatPumpPerformance): number[] => {
    const written = new Float64Array(outdoorC.length);
    performance.fillMostHeat(outdoorC, written, 0, written.length);
    return Array.from(written, (heat) => Math.round(heat / 250));
  };
  expect(mostHeat(air)).toEqual([8000, 5600, 2400, 8800]);
  expect(mostHeat(ground)).toEqual([8000, 8000, 8000, 8000]);
  expect(ground.roomCop(-8, 9, 1)).toBeGreaterThan(air.roomCop(-8, 9, 1) + 0.7);
});
