import { expect, test } from 'vitest';
import { loadSpikeFactor } from '../../../src/simulation/devices/load-variation.ts';
import { dayTypeOf, normProfileLoad } from '../../../src/simulation/devices/load-profile.ts';
import { createLoadCurves } from '../../../src/simulation/devices/load-curves.ts';
import { NOISE_CHANNEL, splitSeed, hashStream } from '../../../src/simulation/kernel/noise.ts';
import { ARCHETYPES } from '../../../src/simulation/household/profiles.ts';
import { households } from '../fleet.ts';
import { createHouseholdModel } from '../../../src/simulation/model/model.ts';

const day = (text: string) => Date.parse(`${text}T00:00:00Z`) / 86_400_000;

test('days have the type of their weekday, and the eves count as Saturdays', () => {
  const types = ['2026-11-20', '2026-11-21', '2026-11-22', '2026-12-24', '2026-12-31'].map((text) =>
    dayTypeOf(day(text), 'DE'),
  );
  expect(types).toEqual(['workday', 'saturday', 'sunday', 'saturday', 'saturday']);
});

test('the mix of archetypes is the norm profile, on every type of day', () => {
  const energy = ARCHETYPES.reduce((sum, item) => sum + item.sharePercent * item.annualKwh, 0);
  for (const type of ['workday', 'saturday', 'sunday'] as const) {
    for (const season of [-1, 0, 1]) {
      let squares = 0;
      const curves = ARCHETYPES.map((item) => ({
        weight: (item.sharePercent * item.annualKwh) / energy,
        curve: createLoadCurves(item.name, 0)(type, season),
      }));
      for (let quarter = 0; quarter < 96; quarter++) {
        const mixed = curves.reduce((sum, { weight, curve }) => sum + weight * (curve[quarter] ?? 0), 0);
        squares += (mixed - normProfileLoad(type, (quarter + 0.5) / 4, season)) ** 2;
      }
      expect(Math.sqrt(squares / 96)).toBeLessThan(0.02);
    }
  }
});

test('bursts have the mean one', () => {
  let sum = 0;
  for (let i = 0; i < 200_000; i++)
    sum += loadSpikeFactor(hashStream(splitSeed(1), 3, NOISE_CHANNEL.loadSpike), i);
  expect(sum / 200_000).toBeCloseTo(1, 2);
});

test('a year of a small fleet consumes what was asked, within a percent', () => {
  const fleet = households(
    { count: 4, annual_consumption_kwh: 5000, ev_ownership_fraction: 0 },
    new Date('2025-01-01T00:00:00Z'),
  );
  const start = Date.UTC(2025, 0, 1) / 900_000;
  let sum = 0;
  for (const household of fleet) {
    const model = createHouseholdModel({ ...household, heat_pump: null }, () => 'mid');
    for (let index = start; index < start + 35_040; index++) sum += model.quarter(index).load;
  }
  expect(Math.abs(sum / 1e6 / 20_000 - 1)).toBeLessThan(0.01);
});
