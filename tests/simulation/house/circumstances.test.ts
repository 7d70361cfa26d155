import { expect, test } from 'vitest';
import { QUARTER_HOUR_MS } from '../../../src/domain/api/durations.ts';
import { UNCONTROLLED } from '../../../src/simulation/control/household-control.ts';
import { DEFAULT_HEAT_PUMP_PREFERENCES } from '../../../src/simulation/control/preferences.ts';
import { NO_PRICES } from '../../../src/simulation/control/price-book.ts';
import { steeringOf } from '../../../src/simulation/control/steering.ts';
import { siteWeather } from '../../../src/simulation/environment/weather.ts';
import { listCircumstances } from '../../../src/simulation/house/circumstances.ts';
import { splitSeed } from '../../../src/simulation/kernel/noise.ts';
import { createHouseholdModel } from '../../../src/simulation/model/model.ts';
import { collectGarbage } from '../../support/garbage.ts';
import { households } from '../fleet.ts';
import { heatedHouseholds } from './houses.ts';

const ANCHOR = new Date('2026-01-10T00:00:00Z');
const START = ANCHOR.getTime() / QUARTER_HOUR_MS;
const DAY = START / 96;

const HOUSEHOLD = households(
  { count: 40, seed: 6, latitude: 48.2, longitude: 16.4, pv_rating_kw: 6 },
  ANCHOR,
).find(({ heat_pump: pump }) => pump !== null);
if (!HOUSEHOLD?.heat_pump) throw new Error('no heat pump');
const { heat_pump: PUMP } = HOUSEHOLD;

/** Moved every four hours for 100 days, the last of them long after the days that are asked for. */
const PLACES = Array.from({ length: 600 }, (_, i) => ({
  from: START + 16 * i,
  value: { latitude: 40 + i / 100, longitude: 10 + i / 100 },
}));

test('places that no day that is asked for was in take no room among the sites that are kept', () => {
  let places = 0;
  const countSites = (): number => siteWeather(splitSeed(99), -50, (places += 0.25)).id;
  const control = { ...UNCONTROLLED, places: PLACES };
  const before = countSites();
  const model = createHouseholdModel(HOUSEHOLD, steeringOf(NO_PRICES, control));
  expect(countSites() - before).toBe(1);
  model.day(DAY);
  // Six places on the day, and what heat pumps remember of it.
  expect(countSites() - before).toBeLessThan(20);
});

test('what follows from preferences is made once for all places with them', () => {
  const cold = { ...DEFAULT_HEAT_PUMP_PREFERENCES, comfort_temperature_c: 18 };
  const preferences = [
    { from: START + 1000, value: cold },
    { from: START + 2000, value: DEFAULT_HEAT_PUMP_PREFERENCES },
    { from: START + 3000, value: cold },
  ];
  const heatPump = { preferences, boosts: [], unsteered: [] };
  const all = listCircumstances(HOUSEHOLD, PUMP, { ...UNCONTROLLED, heatPump, places: PLACES });
  expect(all.length).toBeGreaterThan(PLACES.length);
  expect(new Set(all.map(({ performance }) => performance)).size).toBe(2);
  expect(new Set(all.map(({ targets }) => targets.comfort)).size).toBe(2);
  expect(all.find(({ first }) => first === START)?.targets.comfort).not.toBe(
    all.find(({ first }) => first === START + 1008)?.targets.comfort,
  );
});

test('a house of which less is asked in winter cools by itself, with its windows shut', () => {
  const from = START + 40;
  const value = { ...DEFAULT_HEAT_PUMP_PREFERENCES, comfort_temperature_c: 15 };
  const control = {
    ...UNCONTROLLED,
    heatPump: { ...UNCONTROLLED.heatPump, preferences: [{ from, value }] },
  };
  const houses = heatedHouseholds(52.5, 13.4, { anchor: ANCHOR });
  expect(houses.length).toBeGreaterThan(10);
  for (const house of houses) {
    const { indoor } = createHouseholdModel(house, steeringOf(NO_PRICES, control)).day(DAY);
    const falls = [0, 1, 2, 3].map((i) => (indoor[40 + i] ?? NaN) - (indoor[41 + i] ?? NaN));
    // Some 25 K warmer than outdoors, with half of that gone in 15 hours or more.
    for (const fall of falls) expect(fall).toBeLessThan(400);
  }
});

test('a thousand revisions of a heat pump take a tenth of a megabyte in each of many houses at once', () => {
  const heapUsed = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const value = { ...DEFAULT_HEAT_PUMP_PREFERENCES, comfort_temperature_c: 20 };
  const preferences = Array.from({ length: 1_000 }, (_, i) => ({ from: START + i, value }));
  const control = { ...UNCONTROLLED, heatPump: { ...UNCONTROLLED.heatPump, preferences } };
  const list = () => listCircumstances(HOUSEHOLD, PUMP, control);
  list();
  const before = heapUsed();
  const lists = Array.from({ length: 40 }, list);
  // 0.8 MB where each had functions of its own.
  expect((heapUsed() - before) / lists.length).toBeLessThan(200_000);
});
