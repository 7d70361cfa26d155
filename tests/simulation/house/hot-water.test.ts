import { describe, expect, test } from 'vitest';
import { HotWaterDraws } from '../../../src/simulation/house/hot-water.ts';
import { TankGoals } from '../../../src/simulation/house/tank-goals.ts';
import { splitSeed } from '../../../src/simulation/kernel/noise.ts';
import { thermalHouseOf } from '../../../src/simulation/house/thermal-house.ts';
import { createCourse, createForcing, runThermostat } from '../../../src/simulation/house/thermal-steps.ts';
import type { DayType } from '../../../src/simulation/time/day-type.ts';
import { dayNumber, dayOf, heatedHouseholds, simulationOf, sum } from './houses.ts';

const seed = splitSeed(7);
const habits = (type: DayType = 'workday', away = NaN) => ({
  isAway: (localDay: number): boolean => localDay === away,
  dayTypeOf: (): DayType => type,
});
const litresOn = (index: number, persons: number, localDay: number, type?: DayType): Float64Array => {
  const litres = new Float64Array(96);
  new HotWaterDraws(seed, index, persons, habits(type)).addTo(
    litres,
    { from: 0, to: 96, localDay, localQuarter: 0 },
    1,
  );
  return litres;
};

describe('draws', () => {
  test('are 60 l of 40 C a person and day in the mean of homes, most of it in mornings and evenings', () => {
    const days = Array.from({ length: 300 }, (_, index) => litresOn(index, 3, index % 50));
    const mean = sum(days.map(sum)) / days.length / 3;
    expect(mean).toBeGreaterThan(54);
    expect(mean).toBeLessThan(66);
    const between = (from: number, to: number): number =>
      sum(days.map((day) => sum(day.subarray(4 * from, 4 * to)))) / (mean * 3 * days.length);
    expect(between(6, 9)).toBeGreaterThan(0.29);
    expect(between(17, 23)).toBeGreaterThan(0.33);
    expect(between(0, 6)).toBeLessThan(0.05);
  });

  test('begin later on a free morning, and are as many', () => {
    const between = (type: DayType, from: number, to: number): number =>
      sum(
        Array.from({ length: 300 }, (_, i) => sum(litresOn(i, 3, i % 50, type).subarray(4 * from, 4 * to))),
      );
    expect(between('sunday', 6, 7.5)).toBeLessThan(0.1 * between('workday', 6, 7.5));
    expect(between('saturday', 7.5, 10.5)).toBeGreaterThan(between('workday', 6, 9) * 0.97);
    expect(Math.abs(between('sunday', 0, 24) / between('workday', 0, 24) - 1)).toBeLessThan(0.001);
  });

  test('are none on days on which all are away, and the same as ever on others', () => {
    const draws = new HotWaterDraws(seed, 3, 3, habits('workday', 12));
    const litres = new Float64Array(96);
    draws.addTo(litres, { from: 0, to: 96, localDay: 12, localQuarter: 0 }, 1);
    expect(sum(litres)).toBe(0);
    draws.addTo(litres, { from: 0, to: 96, localDay: 13, localQuarter: 0 }, 1);
    expect(litres).toEqual(litresOn(3, 3, 13));
  });

  test('of a day that is cut into segments are those of the whole', () => {
    const draws = new HotWaterDraws(seed, 1, 4, habits());
    const cut = new Float64Array(96);
    draws.addTo(cut, { from: 8, to: 96, localDay: 100, localQuarter: 0 }, 1);
    draws.addTo(cut, { from: 0, to: 8, localDay: 100, localQuarter: 88 }, 1);
    const whole = litresOn(1, 4, 100);
    expect(Array.from(cut.subarray(8))).toEqual(Array.from(whole.subarray(0, 88)));
    expect(Array.from(cut.subarray(0, 8))).toEqual(Array.from(whole.subarray(88)));
  });
});

test('nobody draws more than a bath in a quarter hour, however large their draws are', () => {
  const most = (index: number): number =>
    Math.max(...Array.from({ length: 200 }, (_, day) => Math.max(...litresOn(index, 5, day))));
  const mosts = Array.from({ length: 40 }, (_, index) => most(index));
  expect(Math.max(...mosts)).toBe(100);
});

const tank = { volume_l: 200, target_c: 50, standing_loss_w: 65 };
const DAYS = 28;
/** Goals of days of 200 homes. */
const allGoals = (days = DAYS): Int32Array[] =>
  Array.from({ length: 200 }, (_, index) => goalsOf(index, days, [0, 96]));
/** Goals of days of a home, each written in parts. */
function goalsOf(index: number, days: number, cuts: readonly number[]): Int32Array {
  const goals = new Int32Array(96 * days);
  const tankGoals = new TankGoals(seed, index, tank);
  for (let localDay = 0; localDay < days; localDay++) {
    for (const [i, from] of cuts.slice(0, -1).entries()) {
      const [start, to] = [96 * localDay, cuts[i + 1] ?? 96];
      tankGoals.fill(goals, { from: start + from, to: start + to, localDay, localQuarter: from });
    }
  }
  return goals;
}

test('tanks are heated at hours of their own, all over the day, twice a day', () => {
  const starts = allGoals(1).map((goal) => goal.findIndex((value) => value === 50_000) >> 2);
  expect(new Set(starts).size).toBeGreaterThan(15);
  for (const goal of allGoals()) {
    const spells = goal.filter((value) => value === 50_000).length;
    expect(Math.max(...goal)).toBe(50_000);
    // Two that overlap are one, and what goes on from the day before is not begun.
    expect(spells).toBeLessThanOrEqual(2 * DAYS);
    expect(spells).toBeGreaterThanOrEqual(DAYS - 1);
  }
});

test('a goal does not depend on where a day is cut', () => {
  for (const cuts of [
    [0, 1, 96],
    [0, 17, 50, 96],
    [0, 95, 96],
  ])
    // prettier-ignore
    expect(goalsOf(3, 9, cuts)).toEqual(goalsOf(3, 9, [0, 96]));
});

test('no tank is heated by the clock: of four weeks few days begin with the same quarter hour', () => {
  const first = dayNumber('2025-02-03');
  const homes = heatedHouseholds(59.9, 10.7).slice(0, 12);
  const usual = homes.map((household) => {
    const simulation = simulationOf(household);
    const days = new Map<number, number>();
    let heated = 0;
    for (let day = first; day < first + DAYS; day++) {
      const water = dayOf(simulation, day).hotWater;
      for (let i = 0; i < 96; i++) {
        const before = heated;
        heated = (water[i + 1] ?? 0) > (water[i] ?? 0) + 100 ? 1 : 0;
        if (heated > before) days.set(i, (days.get(i) ?? 0) + 1);
      }
    }
    return Math.max(...days.values()) / DAYS;
  });
  expect(Math.max(...usual)).toBeLessThan(0.4);
});

test('a tank that nobody draws from is heated in its spells, and else every eight hours at most', () => {
  const { house, forcing, course } = stillTank();
  for (const goals of allGoals()) {
    forcing.tankGoal.set(goals);
    runThermostat(house, forcing, { from: 0, to: 96 * DAYS }, { room: 20_000, tank: 50_000 }, course);
    const heated = Array.from(course.tankHeat.subarray(96)).filter((heat) => heat > 0).length;
    expect(heated / (DAYS - 1)).toBeLessThanOrEqual(5);
  }
});

test('draws stop where a tank is no longer warm, and never warm one', () => {
  const { house, forcing, course } = stillTank();
  forcing.tankFall.fill(9000);
  forcing.mains.fill(12_000);
  const tankAfter = (start: number): number => {
    runThermostat(house, forcing, { from: 0, to: 4 }, { room: 20_000, tank: start }, course);
    return course.tank[4] ?? NaN;
  };
  expect(tankAfter(50_000)).toBeGreaterThan(29_900);
  expect(tankAfter(50_000)).toBeLessThanOrEqual(30_000);
  expect(tankAfter(29_000)).toBeLessThan(29_000);
  expect(tankAfter(29_000)).toBeGreaterThan(28_500);
  // Mains that are warmer than the tank, as where a household has moved, do not warm it.
  forcing.mains.fill(35_000);
  expect(tankAfter(29_000)).toBeLessThan(29_000);
});

/** A house that asks for no heat, with a tank from which nobody draws. */
function stillTank() {
  const [household] = heatedHouseholds(48.2, 16.4);
  if (!household) throw new Error('no heat pump');
  const forcing = createForcing(96 * DAYS);
  forcing.mostHeat.fill(1.5e6);
  return {
    house: thermalHouseOf({ ...household.heat_pump, tank }),
    forcing,
    course: createCourse(96 * DAYS),
  };
}
