import { describe, expect, test } from 'vitest';
import { UNCONTROLLED } from '../../../src/simulation/control/household-control.ts';
import { DEFAULT_HEAT_PUMP_PREFERENCES } from '../../../src/simulation/control/preferences.ts';
import type { HeatPumpPreferences } from '../../../src/simulation/control/preferences.ts';
import { NO_PRICES } from '../../../src/simulation/control/price-book.ts';
import { steeringOf } from '../../../src/simulation/control/steering.ts';
import { listCircumstances } from '../../../src/simulation/house/circumstances.ts';
import { fillHeaterHold } from '../../../src/simulation/house/heater-hold.ts';
import { first } from '../fleet.ts';
import { dayNumber, dayOf, heatedHouseholds, simulationOf, sum } from './houses.ts';

const HOUSES = heatedHouseholds(48.2, 16.4).slice(0, 8);
const START = dayNumber('2025-01-15') * 96;

const asking = (from: number, asked: Partial<HeatPumpPreferences>) => ({
  from,
  value: { ...DEFAULT_HEAT_PUMP_PREFERENCES, ...asked },
});
const toldHeatPump = (preferences: ReturnType<typeof asking>[]) => ({
  ...UNCONTROLLED,
  heatPump: { ...UNCONTROLLED.heatPump, preferences },
});

test('the heater helps to a higher comfort a day after it was asked for, and follows a lower one at once', () => {
  const household = first(HOUSES);
  const control = toldHeatPump([
    asking(START, { comfort_temperature_c: 18 }),
    asking(START + 200, { comfort_temperature_c: 21 }),
    asking(START + 240, { comfort_temperature_c: 22 }),
  ]);
  const all = listCircumstances(household, household.heat_pump, control);
  const row = new Int32Array(400);
  for (const its of all.slice(1)) {
    fillHeaterHold(its, START, row, { from: its.first - START, to: Math.min(400, its.end - START) });
  }
  const comforts = [0, 295, 296, 335, 336].map((i) => (row[i] ?? NaN) + 2200);
  expect(comforts).toEqual([18_000, 18_000, 21_000, 21_000, 22_000]);
});

describe('who lowers comfort by night', () => {
  const DAYS = 40;
  const kwh = (setBackK: number): number =>
    sum(
      HOUSES.map((household) => {
        const comfort = household.heat_pump.building.comfort_c;
        const preferences = Array.from({ length: DAYS + 10 }, (_, i) => START + (i - 10) * 96).flatMap(
          (day) => [
            asking(day + 20, { comfort_temperature_c: comfort }),
            asking(day + 84, { comfort_temperature_c: comfort - setBackK }),
          ],
        );
        const simulation = simulationOf(household, steeringOf(NO_PRICES, toldHeatPump(preferences)));
        return sum(Array.from({ length: DAYS }, (_, i) => sum(dayOf(simulation, START / 96 + i).hp)));
      }),
    );

  test.each([2, 4])('by %i K pays for less electricity', (setBackK) => {
    expect(kwh(setBackK) / kwh(0)).toBeLessThan(0.97);
  });
});

test('windows stay shut while a boost makes a house as warm as was asked', () => {
  const household = first(HOUSES);
  const [low, high] = [1.5, 3].map((boost_k) => {
    const { house } = first(
      listCircumstances(household, household.heat_pump, toldHeatPump([asking(START, { boost_k })])).slice(1),
    );
    return house.openAbove - house.comfort;
  });
  expect([low, high]).toEqual([2000, 3000]);
});
