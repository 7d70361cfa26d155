import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { UNSTEERED } from '../../../src/simulation/control/steering.ts';
import { siteWeather } from '../../../src/simulation/environment/weather.ts';
import { splitSeed } from '../../../src/simulation/kernel/noise.ts';
import { Whereabouts } from '../../../src/simulation/people/whereabouts.ts';
import { RESTLESS, steeredBy } from '../steered.ts';
import { dayNumber, dayOf, heatedHouseholds, simulationOf, sum } from './houses.ts';
import type { HeatedHousehold } from './houses.ts';

const QUARTER_MS = 900_000;

const PLACES = [
  { latitude: 59.9, longitude: 10.7 },
  { latitude: 48.2, longitude: 16.4 },
  { latitude: 37.9, longitude: 23.7 },
  { latitude: 1.3, longitude: 103.8 },
  { latitude: -41.3, longitude: 174.8 },
] as const;
const HOUSES = PLACES.flatMap(({ latitude, longitude }) =>
  heatedHouseholds(latitude, longitude, { count: 24 }).slice(0, 3),
);
const FIRST = dayNumber('2025-01-01');
const anyHouse = fc.constantFrom(...HOUSES);
const anyDay = fc.integer({ min: FIRST, max: FIRST + 364 });
const VIENNA = heatedHouseholds(48.2, 16.4, { count: 60 });
const HOUSE = VIENNA.find(({ heat_pump: pump }) => pump.building.night_setback_k === 0);
if (!HOUSE) throw new Error('no house');

describe('temperatures', () => {
  test('go on at midnight, change slowly and keep their bounds', () => {
    fc.assert(
      fc.property(anyHouse, anyDay, fc.boolean(), (household, day, isSteered) => {
        const simulation = simulationOf(household, isSteered ? RESTLESS : UNSTEERED);
        const today = dayOf(simulation, day);
        const tomorrow = dayOf(simulation, day + 1);
        expect([tomorrow.indoor[0], tomorrow.hotWater[0]]).toEqual([today.indoor[96], today.hotWater[96]]);
        const { building, tank } = household.heat_pump;
        const steps = today.indoor.subarray(1).map((next, i) => Math.abs(next - (today.indoor[i] ?? 0)));
        expect(Math.max(...steps)).toBeLessThan(2000);
        expect(Math.min(...today.indoor)).toBeGreaterThan(8000);
        expect(Math.max(...today.indoor)).toBeLessThanOrEqual(26_000);
        expect(Math.min(...today.hotWater)).toBeGreaterThan(4000);
        expect(Math.max(...today.hotWater)).toBeLessThanOrEqual(tank.target_c * 1000);
        expect(building.comfort_c).toBeGreaterThan(17);
      }),
      { numRuns: 60 },
    );
  });

  test('start at comfort with a warm tank', () => {
    const { building, tank } = HOUSE.heat_pump;
    const noon = { ...HOUSE, anchor_ms: HOUSE.anchor_ms + 48 * QUARTER_MS };
    const { hp, indoor, hotWater } = dayOf(simulationOf(noon), FIRST);
    expect([indoor[0], indoor[48]]).toEqual([building.comfort_c * 1000, building.comfort_c * 1000]);
    expect([hotWater[0], hotWater[48]]).toEqual([tank.target_c * 1000, tank.target_c * 1000]);
    expect(sum(hp.subarray(0, 48))).toBe(0);
    expect(sum(hp.subarray(48))).toBeGreaterThan(0);
  });

  test('fall while power is dear, and rise above comfort while it is cheap', () => {
    const day = FIRST + 20;
    const from = day * 96 + 4;
    const during = (price: number) =>
      steeredBy((quarter) => (quarter >= from && quarter < from + 8 ? price : 80));
    const [dear, plain, cheap] = [during(400), UNSTEERED, during(-50)].map((steering) =>
      dayOf(simulationOf(HOUSE, steering), day),
    );
    const at = (rows: typeof plain, i: number): number => rows?.indoor[i] ?? NaN;
    expect(sum(dear?.heat.subarray(4, 12) ?? [])).toBe(0);
    expect(at(dear, 12)).toBeLessThan(at(dear, 4) - 100);
    expect(at(cheap, 12)).toBeGreaterThan(at(plain, 12) + 100);
  });
});

test('what is given off, lost and stored balances over a week', () => {
  for (const household of VIENNA.slice(0, 6)) {
    const { building, tank } = household.heat_pump;
    const simulation = simulationOf(household);
    const weather = siteWeather(splitSeed(household.seed), household.latitude, household.longitude);
    const whereabouts = new Whereabouts(household);
    const days = Array.from({ length: 7 }, (_, i) => FIRST + 10 + i).map((day) => ({
      day,
      ...dayOf(simulation, day),
    }));
    let [given, lost] = [0, 0];
    for (const { day, heat, indoor, hotWater } of days) {
      const air = Float64Array.from(weather.airTemperaturesOn(day));
      const global = Float64Array.from(weather.irradianceOn(day).global);
      const soil = weather.climate.soilTemperatureOn(day);
      const people = whereabouts.isAway(day) ? 0 : building.persons;
      const gainsW = 2.2 * building.floor_area_m2 + 60 * people;
      for (let i = 0; i < 96; i++) {
        const mean = ((indoor[i] ?? 0) + (indoor[i + 1] ?? 0)) / 2000;
        const sunW = 0.045 * building.floor_area_m2 * (global[i] ?? 0);
        given += (heat[i] ?? 0) / 1e6;
        // Walls feel the air hours later: over a week that is the same.
        const outside = 0.85 * (air[i] ?? 0) + 0.15 * soil;
        lost += (building.heat_loss_w_per_k * (mean - outside) - gainsW - sunW) / 4000;
        const fall = ((hotWater[i] ?? 0) - (hotWater[i + 1] ?? 0)) / 1000;
        // What the tank gave up beside what was put into it was drawn or lost: the heat counts when it comes.
        lost += (Math.max(0, fall) * tank.volume_l * 1.163) / 1000;
      }
    }
    const rise = (days.at(-1)?.indoor[96] ?? 0) - (days[0]?.indoor[0] ?? 0);
    const tankRise = (days.at(-1)?.hotWater[96] ?? 0) - (days[0]?.hotWater[0] ?? 0);
    const stored =
      (rise * building.heat_capacity_wh_per_k + Math.max(0, tankRise) * tank.volume_l * 1.163) / 1e6;
    expect(given / (lost + stored)).toBeGreaterThan(0.93);
    expect(given / (lost + stored)).toBeLessThan(1.08);
  }
});

test('nobody draws water or warms the rooms on days on which all are away', () => {
  const found = VIENNA.flatMap((household) => {
    const whereabouts = new Whereabouts(household);
    const days = Array.from({ length: 300 }, (_, i) => FIRST + i);
    const day = days.find((its) => [0, 1, 2, 3].every((after) => whereabouts.isAway(its + after)));
    return day === undefined ? [] : [{ household, day: day + 2 }];
  });
  expect(found.length).toBeGreaterThan(3);
  for (const { household, day } of found) {
    const { hotWater, indoor } = dayOf(simulationOf(household), day);
    const { building, tank } = household.heat_pump;
    // What a tank that nobody draws from loses, mK a quarter hour.
    const standing =
      (1000 * 0.25 * tank.standing_loss_w * ((tank.target_c - 20) / 30)) / (tank.volume_l * 1.163);
    const falls = hotWater.subarray(1).map((next, i) => (hotWater[i] ?? 0) - next);
    expect(Math.max(...falls)).toBeLessThan(standing + 2);
    const lived = {
      ...household,
      heat_pump: { ...household.heat_pump, building: { ...building, persons: 9 } },
    };
    // What more people warmed it by before fades, and nothing is added.
    const others = dayOf(simulationOf(lived), day).indoor;
    const warmer = indoor.map((its, i) => Math.abs((others[i] ?? 0) - its));
    expect(Math.max(...warmer)).toBeLessThanOrEqual((warmer[0] ?? NaN) + 1);
    expect(warmer[0]).toBeLessThan(1000);
  }
});

describe('access', () => {
  test('at random gives what walking through gives, also steered', () => {
    for (const household of HOUSES.slice(0, 9)) {
      const walking = simulationOf(household, RESTLESS);
      const walked = Array.from({ length: 120 }, (_, i) => dayOf(walking, FIRST + i));
      for (const jump of [119, 3, 60, 61, 17]) {
        expect(dayOf(simulationOf(household, RESTLESS), FIRST + jump)).toEqual(walked[jump]);
      }
    }
  });

  test('needs no history: a start years before gives the same, at any day', () => {
    fc.assert(
      fc.property(anyHouse, anyDay, (household, day) => {
        const late: HeatedHousehold = { ...household, anchor_ms: (FIRST - 60) * 86_400_000 };
        const early: HeatedHousehold = { ...household, anchor_ms: (FIRST - 2000) * 86_400_000 };
        expect(dayOf(simulationOf(early), day)).toEqual(dayOf(simulationOf(late), day));
      }),
      { numRuns: 60 },
    );
  });
});

test('a heat pump keeps to its rating, and its heat to its electricity', () => {
  fc.assert(
    fc.property(anyHouse, anyDay, (household, day) => {
      const { hp, heat, mode } = dayOf(simulationOf(household, RESTLESS), day);
      const { rated_power_w: rated } = household.heat_pump;
      for (let i = 0; i < 96; i++) {
        expect(hp[i]).toBeLessThanOrEqual(rated * 250);
        expect((heat[i] ?? 0) > 0).toBe(mode[i] !== 0);
        expect((heat[i] ?? 0) / (hp[i] ?? 1)).toBeLessThan(6);
      }
    }),
    { numRuns: 40 },
  );
});
