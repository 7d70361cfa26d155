import { describe, expect, test } from 'vitest';
import { UNCONTROLLED } from '../../../src/simulation/control/household-control.ts';
import { DEFAULT_HEAT_PUMP_PREFERENCES } from '../../../src/simulation/control/preferences.ts';
import { NO_PRICES } from '../../../src/simulation/control/price-book.ts';
import { steeringOf } from '../../../src/simulation/control/steering.ts';
import { Enclosure } from '../../../src/simulation/house/enclosure.ts';
import { Interventions } from '../../../src/simulation/house/interventions.ts';
import { UnsteeredHouse } from '../../../src/simulation/house/unsteered-house.ts';
import { priceYear } from '../../../tools/validate/price-year.ts';
import { dayNumber, dayOf, heatedHouseholds, simulationOf } from './houses.ts';

const FIRST = dayNumber('2025-01-01');
const BOOK = priceYear('DE', FIRST, 365);
const HOUSES = heatedHouseholds(48.2, 16.4, { count: 40 }).slice(0, 4);
const DAYS = 24;

/** Boosted each evening for two weeks, and set back at times all along. */
const askedFrom = (day: number) => ({
  ...UNCONTROLLED,
  heatPump: {
    ...UNCONTROLLED.heatPump,
    boosts: Array.from({ length: 14 }, (_, i) => ({ first: (day + i) * 96 + 68, end: (day + i) * 96 + 74 })),
    preferences: Array.from({ length: 8 }, (_, i) => ({
      from: (day + 3 * i) * 96 + 20,
      value: { ...DEFAULT_HEAT_PUMP_PREFERENCES, comfort_temperature_c: 19 + (i % 3) },
    })),
  },
});

describe.each([
  ['January', 8],
  ['April', 95],
  ['July', 190],
])('in %s', (_, later) => {
  const from = FIRST + later;
  const control = askedFrom(from);

  test.each([
    ['with plans', BOOK],
    ['without plans', NO_PRICES],
  ])('the true house lies between the coldest and the warmest one, %s', (_name, prices) => {
    for (const household of HOUSES) {
      const simulation = simulationOf(household, steeringOf(prices, control));
      const house = new UnsteeredHouse(household, household.heat_pump, control);
      const enclosure = new Enclosure(house, new Interventions(control), from * 96);
      for (let day = from; day < from + DAYS; day++) {
        const { indoor, hotWater } = dayOf(simulation, day);
        for (let i = 0; i < 96; i += 3) {
          enclosure.follow(day * 96 + i, prices !== NO_PRICES);
          const { coldest, warmest } = enclosure;
          expect(indoor[i]).toBeGreaterThanOrEqual(coldest.room);
          expect(indoor[i]).toBeLessThanOrEqual(warmest.room);
          expect(hotWater[i]).toBeGreaterThanOrEqual(coldest.tank);
          expect(hotWater[i]).toBeLessThanOrEqual(warmest.tank);
        }
      }
      const warmth = enclosure.warmest.room - enclosure.coldest.room;
      if (prices === NO_PRICES) expect(enclosure.met).toBeDefined();
      else expect(warmth).toBeLessThan(5000);
    }
  });
});
