import { expect, test } from 'vitest';
import fc from 'fast-check';
import { fillRoomRest, thermalHouseOf } from '../../../src/simulation/house/thermal-house.ts';
import {
  coolRoom,
  coolTank,
  createCourse,
  createForcing,
  runThermostat,
  warmestRoomBefore,
  warmestTankBefore,
} from '../../../src/simulation/house/thermal-steps.ts';
import { heatedHouseholds } from './houses.ts';

const HOUSES = heatedHouseholds(48.2, 16.4).map(({ heat_pump: pump }) => thermalHouseOf(pump));

test('a day keeps the order of temperatures, in every quarter hour', () => {
  const quarter = fc.record({
    outdoor: fc.double({ min: -35, max: 40, noNaN: true }),
    gains: fc.double({ min: 0, max: 8, noNaN: true }),
    target: fc.constantFrom(0, 18_000, 20_600, 22_000),
    goal: fc.constantFrom(0, 36_000, 43_000, 46_000),
    fall: fc.double({ min: 0, max: 9000, noNaN: true }),
    most: fc.double({ min: 0, max: 4e6, noNaN: true }),
  });
  const room = fc.integer({ min: 8000, max: 26_000 });
  const tank = fc.integer({ min: 0, max: 46_000 });
  fc.assert(
    fc.property(
      fc.constantFrom(...HOUSES),
      fc.array(quarter, { minLength: 96, maxLength: 96 }),
      fc.tuple(room, room),
      fc.tuple(tank, tank),
      (house, quarters, rooms, tanks) => {
        const forcing = createForcing(96);
        forcing.mains.fill(9000);
        for (const [i, { outdoor, gains, target, goal, fall, most }] of quarters.entries()) {
          forcing.outdoorC[i] = outdoor;
          forcing.roomRest[i] = 1000 * (outdoor + gains);
          forcing.roomTarget[i] = target;
          forcing.tankGoal[i] = goal;
          forcing.tankFall[i] = fall;
          forcing.mostHeat[i] = most;
        }
        const [low, high] = [createCourse(96), createCourse(96)];
        const day = { from: 0, to: 96 };
        const coldest = { room: Math.min(...rooms), tank: Math.min(...tanks) };
        const warmest = { room: Math.max(...rooms), tank: Math.max(...tanks) };
        runThermostat(house, forcing, day, coldest, low);
        runThermostat(house, forcing, day, warmest, high);
        for (let i = 0; i <= 96; i++) {
          expect(low.room[i]).toBeLessThanOrEqual(high.room[i] ?? NaN);
          expect(low.tank[i]).toBeLessThanOrEqual(high.tank[i] ?? NaN);
        }
        const all = (values: Float64Array): boolean => values.every((value) => value >= 0);
        expect([all(high.roomHeat), all(high.tankHeat), all(high.backupHeat)]).toEqual([true, true, true]);
      },
    ),
  );
});

test('nothing that a quarter hour without heat leads to a temperature was warmer than the warmest before it, or much colder', () => {
  fc.assert(
    fc.property(
      fc.record({
        house: fc.constantFrom(...HOUSES),
        outdoor: fc.double({ min: -35, max: 40, noNaN: true }),
        fall: fc.double({ min: 0, max: 9000, noNaN: true }),
        room: fc.integer({ min: 8000, max: 26_000 }),
        tank: fc.integer({ min: 20_000, max: 60_000 }),
      }),
      ({ house, outdoor, fall, room, tank }) => {
        const forcing = createForcing(1);
        forcing.outdoorC[0] = outdoor;
        forcing.roomRest[0] = 1000 * outdoor;
        forcing.tankFall[0] = fall;
        const roomAfter = Math.floor(coolRoom(house, forcing, 0, room) + 0.5);
        const tankAfter = Math.floor(coolTank(house, forcing, 0, tank) + 0.5);
        const [warmestRoom, warmestTank] = [
          warmestRoomBefore(house, forcing, 0, roomAfter),
          warmestTankBefore(house, forcing, 0, tankAfter),
        ];
        expect(warmestRoom).toBeGreaterThanOrEqual(room);
        expect(warmestTank).toBeGreaterThanOrEqual(tank);
        if (roomAfter < house.openAbove - 1) expect(warmestRoom).toBeLessThan(room + 2);
        if (tankAfter > 30_000) expect(warmestTank).toBeLessThan(tank + 2);
      },
    ),
  );
});

test('a house feels half of the air at once, the ground always, and the mean of a day at its walls in the evening', () => {
  const [house] = HOUSES;
  if (!house) throw new Error('no house');
  const dark = new Float64Array(96);
  const restOf = (airC: number, before: number, today: number, after: number, soil: number): Float64Array => {
    const rest = new Float64Array(96);
    const slow = { before, today, after, soil };
    fillRoomRest(house, new Float64Array(96).fill(airC), slow, dark, rest, { from: 0, to: 96 });
    return rest.map((value) => (value - house.applianceLift) / 1000);
  };
  for (const steady of restOf(-3, -3, -3, -3, -3)) expect(steady).toBeCloseTo(-3, 9);
  expect(restOf(2, 0, 0, 0, 0)[40]).toBeCloseTo(1, 9);
  expect(restOf(0, 0, 0, 0, 10)[40]).toBeCloseTo(1.5, 9);
  const walls = restOf(0, 0, 10, 0, 0);
  expect([79, 80]).toContain(walls.indexOf(Math.max(...walls)));
  expect(walls[80]).toBeCloseTo(3.5, 1);
});
