import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { QUARTER_HOUR_MS } from '../../../src/domain/api/durations.ts';
import { CONTROL_MODE } from '../../../src/simulation/control/control-modes.ts';
import { UNCONTROLLED } from '../../../src/simulation/control/household-control.ts';
import type { HouseholdControl } from '../../../src/simulation/control/household-control.ts';
import { SCHEDULE_STATES } from '../../../src/simulation/control/schedule-states.ts';
import { UNSTEERED, steeringOf } from '../../../src/simulation/control/steering.ts';
import type { Steering } from '../../../src/simulation/control/steering.ts';
import { windowAt, windowStart } from '../../../src/simulation/house/plan-windows.ts';
import { priceYear } from '../../../tools/validate/price-year.ts';
import { steeredBy } from '../steered.ts';
import { dayNumber, dayOf, heatedHouseholds, simulationOf } from './houses.ts';
import type { HeatedHousehold } from './houses.ts';
import { anyStory, preferring, steeringOfStory } from './steered.ts';

const FIRST = dayNumber('2025-01-01');
const HOUSES = [
  ...heatedHouseholds(48.2, 16.4, { count: 30 }).slice(0, 4),
  ...heatedHouseholds(59.9, 10.7, { count: 30 }).slice(0, 2),
  ...heatedHouseholds(37.9, 23.7, { count: 30 }).slice(0, 2),
];
const anyHouse = fc.constantFrom(...HOUSES);
const [HOUSE] = HOUSES;
if (!HOUSE) throw new Error('no house');
const BOOK = priceYear('DE', FIRST, 365);
const [MIN, LOW, MID, MAX] = SCHEDULE_STATES.map((_, i) => i);

/** The rows of some days, one after the other. */
function walk(household: HeatedHousehold, steering: Steering, from: number, days: number) {
  const simulation = simulationOf(household, steering);
  const rows = Array.from({ length: days }, (_, i) => dayOf(simulation, from + i));
  const join = (name: 'hp' | 'heat' | 'asked' | 'follows' | 'mode') => rows.flatMap((its) => [...its[name]]);
  const joinAfter = (name: 'indoor' | 'hotWater') => rows.flatMap((its) => [...its[name].subarray(1)]);
  return {
    hp: join('hp'),
    heat: join('heat'),
    asked: join('asked'),
    follows: join('follows'),
    indoor: joinAfter('indoor'),
    hotWater: joinAfter('hotWater'),
  };
}

describe('nothing that becomes known later', () => {
  const DAYS = 6;
  const RUNS = 60;
  /** A day of any season with what happens in the days from the third on, and a quarter hour of them. */
  const anyCase = fc.constantFrom(0, 75, 110, 180, 280).chain((later) => {
    const from = FIRST + later;
    return fc.record({
      household: anyHouse,
      from: fc.constant(from),
      story: anyStory((from + 2) * 96, DAYS - 3),
      quarter: fc.nat(DAYS * 96 - 1),
    });
  });

  test('changes a quarter hour that has begun, be it prices, preferences, places, boosts or interruptions', () => {
    fc.assert(
      fc.property(anyCase, ({ household, from, story, quarter }) => {
        const whole = walk(household, steeringOfStory(story), from, DAYS);
        const early = walk(household, steeringOfStory(story, from * 96 + quarter), from, DAYS);
        for (const name of ['hp', 'heat', 'asked', 'follows', 'indoor', 'hotWater'] as const) {
          expect(early[name].slice(0, quarter + 1)).toEqual(whole[name].slice(0, quarter + 1));
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('is needed to find a day by itself: it is as it is when all days before it are walked', () => {
    fc.assert(
      fc.property(anyCase, ({ household, from, story, quarter }) => {
        const steering = steeringOfStory(story);
        const simulation = simulationOf(household, steering);
        const walked = Array.from({ length: DAYS }, (_, i) => dayOf(simulation, from + i));
        const jump = Math.floor(quarter / 96);
        expect(dayOf(simulationOf(household, steering), from + jump)).toEqual(walked[jump]);
      }),
      { numRuns: RUNS },
    );
  });
});

describe('a plan', () => {
  test('ends where the unsteered house would be, and begins there', () => {
    for (const household of HOUSES) {
      const plain = walk(household, UNSTEERED, FIRST + 1, 30);
      const steered = walk(household, steeringOf(BOOK), FIRST + 1, 30);
      for (let day = FIRST + 2; day < FIRST + 30; day++) {
        const start = windowStart(household.time_zone, day);
        expect(windowAt(household.time_zone, start)).toBe(day);
        const i = start - (FIRST + 1) * 96 - 1;
        expect([steered.indoor[i], steered.hotWater[i]]).toEqual([plain.indoor[i], plain.hotWater[i]]);
      }
      expect(steered.indoor).not.toEqual(plain.indoor);
    }
  });

  test('keeps the bounds of set-back and boost, or what the unsteered house would have', () => {
    for (const household of HOUSES) {
      const comfort = household.heat_pump.building.comfort_c * 1000;
      for (const day of [FIRST + 1, FIRST + 95, FIRST + 290]) {
        const plain = walk(household, UNSTEERED, day, 20);
        const steered = walk(household, steeringOf(BOOK), day, 20);
        for (const [i, room] of steered.indoor.entries()) {
          const home = plain.indoor[i] ?? NaN;
          expect(room).toBeGreaterThanOrEqual(Math.min(comfort - 1500, home));
          expect(room).toBeLessThanOrEqual(Math.max(comfort + 1500, home));
          expect(steered.hotWater[i]).toBeGreaterThanOrEqual(Math.min(43_000, plain.hotWater[i] ?? NaN));
          expect(steered.hotWater[i]).toBeLessThanOrEqual(household.heat_pump.tank.target_c * 1000);
        }
      }
    }
  });

  test('leaves a house alone whose people want nothing colder or warmer, but for its tank', () => {
    const still = steeringOf(BOOK, preferring({ setback_k: 0, boost_k: 0 }));
    const plain = walk(HOUSE, UNSTEERED, FIRST + 10, 10);
    const steered = walk(HOUSE, still, FIRST + 10, 10);
    const apart = steered.indoor.map((room, i) => Math.abs(room - (plain.indoor[i] ?? NaN)));
    expect(Math.max(...apart)).toBeLessThan(1000);
    expect(steered.hotWater).not.toEqual(plain.hotWater);
  });

  test('is not made where people want no answer to prices', () => {
    const deaf = steeringOf(BOOK, preferring({ price_response: false }));
    expect(walk(HOUSE, deaf, FIRST + 10, 10)).toEqual(walk(HOUSE, UNSTEERED, FIRST + 10, 10));
  });

  test('blocks for two hours at most, across 14:00 and midnight; what is longer is set back', () => {
    // A price that rises all day asks for no heat at its end, day after day.
    const rising = steeredBy((quarter) => ((quarter + 24) % 96) ** 2 / 20);
    for (const household of HOUSES.slice(0, 4)) {
      const { asked, heat } = walk(household, rising, FIRST + 5, 20);
      let run = 0;
      let longest = 0;
      for (const [i, state] of asked.entries()) {
        run = state === MIN ? run + 1 : 0;
        longest = Math.max(longest, run);
        if (state === MIN) expect(heat[i]).toBe(0);
      }
      expect(longest).toBe(8);
      expect(asked).toContain(LOW);
      expect(asked).toContain(MAX);
      expect(asked).toContain(MID);
    }
  });
});

describe('a house that is asked for something else', () => {
  const start = (FIRST + 20) * 96;
  const during = (spans: Partial<HouseholdControl['heatPump']>): Steering =>
    steeringOf(BOOK, { ...UNCONTROLLED, heatPump: { ...UNCONTROLLED.heatPump, ...spans } });

  test('is boosted at once, is warmer than it would be, and comes home', () => {
    const boost = { boosts: [{ first: start + 30, end: start + 42 }] };
    const boosted = walk(HOUSE, during(boost), FIRST + 20, 6);
    const plain = walk(HOUSE, UNSTEERED, FIRST + 20, 6);
    const { comfort_c: comfort } = HOUSE.heat_pump.building;
    expect(boosted.follows.slice(30, 42)).toEqual(new Array(12).fill(CONTROL_MODE.boost));
    expect(boosted.asked.slice(30, 42)).toEqual(new Array(12).fill(MAX));
    expect(boosted.indoor[41]).toBeGreaterThan((plain.indoor[41] ?? NaN) + 200);
    expect(Math.max(...boosted.indoor)).toBeLessThanOrEqual(comfort * 1000 + 1500);
    expect(boosted.hotWater[41]).toBe(HOUSE.heat_pump.tank.target_c * 1000);
    expect(boosted.follows[42]).toBe(CONTROL_MODE.automatic);
    const back = boosted.follows.indexOf(CONTROL_MODE.schedule, 42);
    expect(back).toBeGreaterThan(42);
    expect([boosted.indoor[back - 1], boosted.hotWater[back - 1]]).toEqual([
      plain.indoor[back - 1],
      plain.hotWater[back - 1],
    ]);
  });

  test('goes by its own habits while it cannot be steered, and follows plans again when it can', () => {
    const { follows } = walk(
      HOUSE,
      during({ unsteered: [{ first: start + 30, end: start + 90 }] }),
      FIRST + 20,
      6,
    );
    expect(follows.slice(0, 30)).toEqual(new Array(30).fill(CONTROL_MODE.schedule));
    expect(follows.slice(30, 90)).toEqual(new Array(60).fill(CONTROL_MODE.interrupted));
    expect(follows.slice(-96)).toContain(CONTROL_MODE.schedule);
  });

  test('is as warm as people have come to want it, rooms and water', () => {
    const value = { comfort_temperature_c: 23, hot_water_temperature_c: 58 };
    const wanted = steeringOf(steeringOf(BOOK).prices, preferring({ ...value, price_response: false }));
    const { indoor, hotWater } = walk(HOUSE, wanted, FIRST + 20, 4);
    expect(Math.max(...hotWater)).toBe(58_000);
    // Targets wander by half a kelvin.
    expect(indoor.filter((room) => Math.abs(room - 23_000) <= 500).length).toBeGreaterThan(96);
  });

  test('has the weather of its place from the quarter hour on at which it is known', () => {
    const moved = { ...UNCONTROLLED, places: [{ from: start + 10, value: { latitude: 65, longitude: 25 } }] };
    const plain = walk(HOUSE, UNSTEERED, FIRST + 18, 6);
    const north = walk(HOUSE, steeringOf(steeredBy(() => null).prices, moved), FIRST + 18, 6);
    const before = 2 * 96 + 10;
    expect(north.indoor.slice(0, before)).toEqual(plain.indoor.slice(0, before));
    const heat = (its: typeof plain) => its.heat.slice(before).reduce((sum, each) => sum + each, 0);
    expect(heat(north)).toBeGreaterThan(1.2 * heat(plain));
  });
});

test('prices of one quarter hour at a time change a plan every two hours at most', () => {
  let asked = 0;
  const [from, to] = [(FIRST + 20) * 96, (FIRST + 22) * 96];
  const restless = steeringOf({
    priceAt: (startMs, knownAtMs) => {
      asked += 1;
      return 80 + 40 * Math.sin(startMs / QUARTER_HOUR_MS / 9 + knownAtMs / QUARTER_HOUR_MS);
    },
    originAt: () => 'own',
    revisionAt: (knownAtMs) => Math.floor(knownAtMs / QUARTER_HOUR_MS),
  });
  walk(HOUSE, restless, FIRST + 20, 2);
  // Each time at most the rest of a window is looked at, 12 times a day.
  expect(asked / ((to - from) / 96)).toBeLessThan(2 * 12 * 96);
});
