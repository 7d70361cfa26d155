// How a compressor runs that is planned.
import { expect, test } from 'vitest';
import { steeringOf } from '../../../src/simulation/control/steering.ts';
import { SCHEDULE_STATES } from '../../../src/simulation/control/schedule-states.ts';
import { siteWeather } from '../../../src/simulation/environment/weather.ts';
import { HEAT_MODES } from '../../../src/simulation/house/heat-pump-rows.ts';
import { createHouseSimulation } from '../../../src/simulation/house/house-simulation.ts';
import { HeatPumpPerformance } from '../../../src/simulation/house/performance.ts';
import { splitSeed } from '../../../src/simulation/kernel/noise.ts';
import { priceYear } from '../../../tools/validate/price-year.ts';
import { dayNumber, dayOf, heatedHouseholds } from './houses.ts';

const YEAR = dayNumber('2025-01-01');
const HOUSES = [
  ...heatedHouseholds(48.2, 16.4, { count: 40 }).slice(0, 6),
  ...heatedHouseholds(59.9, 10.7, { count: 40 }).slice(0, 6),
];
const STEERING = steeringOf(priceYear('DE', YEAR, 365));
const MID = SCHEDULE_STATES.indexOf('mid');
const HEATING = HEAT_MODES.indexOf('heating');
const DAYS = 8;
/** Own PV, mWh. */
const AT_NOON = new Int32Array(96).fill(400_000, 36, 60);

/** The quarter hours of some planned days of all houses, each house after the other, with the least heat of its compressor. */
function* plannedQuarters(from: number) {
  const most = new Float64Array(96);
  for (const household of HOUSES) {
    const simulation = createHouseSimulation(household, household.heat_pump, STEERING, () => AT_NOON);
    const performance = new HeatPumpPerformance(household.heat_pump);
    const weather = siteWeather(splitSeed(household.seed), household.latitude, household.longitude);
    for (let day = from; day < from + DAYS; day++) {
      performance.fillMostHeat(weather.airTemperaturesOn(day), most, 0, 96);
      const { heat, mode, asked } = dayOf(simulation, day);
      for (const [i, given] of heat.entries()) {
        const least = performance.leastHeat(most[i] ?? 0);
        yield { heat: given, least, mode: mode[i], asked: asked[i] };
      }
    }
  }
}

// Unsteered the same heat pumps start 6.2, 9.0, 5.6 and 9.7 times a day.
test.each([
  ['winter', 15, 12.8],
  ['spring', 95, 13.5],
  ['summer', 190, 10.5],
  ['autumn', 290, 15],
] as const)('a compressor does not go on and off all the time: in %s', (_season, day, mostStarts) => {
  let starts = 0;
  let runsOn = false;
  for (const { heat, least } of plannedQuarters(YEAR + day)) {
    if (heat > 0 && !runsOn) starts += 1;
    runsOn = heat >= least - 1;
  }
  expect(starts / (HOUSES.length * DAYS)).toBeLessThan(mostStarts);
});

test('a plan lets a compressor run at its least, which is told as mid', () => {
  const atLeast = [...plannedQuarters(YEAR + 15)].filter(
    ({ heat, least, mode }) => mode === HEATING && Math.abs(heat - least) <= 1,
  );
  expect(atLeast.length).toBeGreaterThan(100);
  for (const { asked } of atLeast) expect(asked).toBe(MID);
});

test('what a plan gave by the sun is the same when it is done again after the plans of other days and houses', () => {
  const [house, dark] = HOUSES;
  if (house === undefined || dark === undefined) throw new Error('no house');
  const simulation = createHouseSimulation(house, house.heat_pump, STEERING, () => AT_NOON);
  const other = createHouseSimulation(dark, dark.heat_pump, STEERING, () => new Int32Array(96));
  const days = Array.from({ length: DAYS }, (_, i) => YEAR + 95 + i);
  const once = days.map((day) => [...dayOf(simulation, day).heat]);
  for (const day of days) dayOf(other, day);
  expect(days.map((day) => [...dayOf(simulation, day).heat])).toEqual(once);
});
