import { expect, test } from 'vitest';
import fc from 'fast-check';
import { packIntoRuns } from '../../../src/simulation/house/compressor-runs.ts';
import { UnsteeredHouse } from '../../../src/simulation/house/unsteered-house.ts';
import { UNCONTROLLED } from '../../../src/simulation/control/household-control.ts';
import { HeatPumpPerformance } from '../../../src/simulation/house/performance.ts';
import { siteWeather } from '../../../src/simulation/environment/weather.ts';
import { splitSeed } from '../../../src/simulation/kernel/noise.ts';
import { dayNumber, dayOf, heatedHouseholds, sum } from './houses.ts';

const LEAST = 1000;
const MOST = 3000;

/** Heats of so many quarter hours whose compressor gives 1,000 to 3,000 mWh; rooms take a third of theirs as electricity. */
function heatsOf(room: readonly number[], water: readonly number[]) {
  const size = room.length;
  return {
    roomHeat: Float64Array.from(room),
    tankHeat: Float64Array.from(water),
    electric: Float64Array.from(room, (heat) => heat / 3),
    least: new Float64Array(size).fill(LEAST),
    mostHeat: new Float64Array(size).fill(MOST),
  };
}

const totals = ({ roomHeat, tankHeat }: ReturnType<typeof heatsOf>): Float64Array =>
  roomHeat.map((heat, i) => heat + (tankHeat[i] ?? 0));

test('a window keeps its heat, and only one that asks for less than the least has a quarter hour below it, one', () => {
  const heat = fc.constantFrom(0, 0, 20, 400, 700, 1000, 2900, 3000);
  const quarter = fc.record({ room: heat, water: heat }).map(({ room, water }) => ({
    room: Math.min(room, MOST - water),
    water,
  }));
  fc.assert(
    fc.property(
      fc.array(quarter, { minLength: 96, maxLength: 96 }),
      fc.nat(7),
      fc.nat(95),
      (quarters, phase, from) => {
        const [room, water] = [quarters.map((each) => each.room), quarters.map((each) => each.water)];
        const [before, heats] = [heatsOf(room, water), heatsOf(room, water)];
        packIntoRuns(heats, { from, to: 96 }, phase);
        for (const name of ['roomHeat', 'tankHeat', 'electric'] as const) {
          expect(heats[name].subarray(0, from)).toEqual(before[name].subarray(0, from));
        }
        for (let start = from - (from % 8); start < 96; start += 8) {
          const window = (values: Float64Array): Float64Array =>
            values.subarray(Math.max(from, start), start + 8);
          for (const name of ['roomHeat', 'tankHeat', 'electric'] as const) {
            expect(sum(window(heats[name]))).toBeCloseTo(sum(window(before[name])), 6);
          }
          const running = Array.from(window(totals(heats))).filter((total) => total > 0);
          for (const total of running) expect(total).toBeLessThanOrEqual(MOST + 1e-9);
          if (running.some((total) => total < LEAST - 1e-9)) expect(running).toHaveLength(1);
        }
      },
    ),
  );
});

test('the phase says which quarter hours of a window run, around its end', () => {
  const heats = heatsOf(new Array<number>(8).fill(300), new Array<number>(8).fill(0));
  packIntoRuns(heats, { from: 0, to: 8 }, 7);
  expect(Array.from(heats.roomHeat)).toEqual([1200, 0, 0, 0, 0, 0, 0, 1200]);
});

test('the end of a run of the tank is given before, and rooms are heated beside what is short of the tank', () => {
  const tail = heatsOf([0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 3000, 500, 0, 0, 0, 0]);
  packIntoRuns(tail, { from: 0, to: 8 }, 0);
  expect(Array.from(tail.tankHeat)).toEqual([0, 0, 1750, 1750, 0, 0, 0, 0]);
  const beside = heatsOf([300, 300, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 500, 0, 0, 0]);
  packIntoRuns(beside, { from: 0, to: 8 }, 4);
  expect(Array.from(beside.tankHeat)).toEqual([0, 0, 0, 0, 500, 0, 0, 0]);
  expect(Array.from(beside.roomHeat)).toEqual([0, 0, 0, 0, 600, 0, 0, 0]);
});

test('what a plan or somebody cuts off is packed by itself', () => {
  const heats = heatsOf(new Array<number>(16).fill(300), new Array<number>(16).fill(0));
  packIntoRuns(heats, { from: 3, to: 8 }, 0);
  expect(Array.from(heats.roomHeat)).toEqual([
    300,
    300,
    300,
    1500,
    ...[0, 0, 0, 0],
    ...new Array<number>(8).fill(300),
  ]);
});

test('a heat pump that nobody steers gives less than its least heat in few quarter hours, in each of which it runs alone', () => {
  let [running, short] = [0, 0];
  for (const household of heatedHouseholds(52.5, 13.4).slice(0, 8)) {
    const simulation = new UnsteeredHouse(household, household.heat_pump, UNCONTROLLED);
    const performance = new HeatPumpPerformance(household.heat_pump);
    const weather = siteWeather(splitSeed(household.seed), household.latitude, household.longitude);
    const most = new Float64Array(96);
    for (let day = dayNumber('2025-01-10'); day < dayNumber('2026-01-01'); day += 9) {
      const { heat } = dayOf(simulation, day);
      performance.fillMostHeat(weather.airTemperaturesOn(day), most, 0, 96);
      for (let start = 0; start < 96; start += 8) {
        const given = Array.from(heat.subarray(start, start + 8));
        const isShort = (value: number, i: number): boolean =>
          value > 0 && value < performance.leastHeat(most[start + i] ?? 0) - 1;
        const shortOnes = given.filter(isShort).length;
        running += given.filter((value) => value > 0).length;
        short += shortOnes;
        if (shortOnes > 0) expect(given.filter((value) => value > 0)).toHaveLength(1);
      }
    }
  }
  expect(short / running).toBeLessThan(0.06);
});
