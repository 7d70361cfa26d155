/** Houses of which something else is asked all the time: what that costs, and that what has been stays. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { CONTROL_MODE } from '../../../src/simulation/control/control-modes.ts';
import { UNCONTROLLED } from '../../../src/simulation/control/household-control.ts';
import type { HouseholdControl } from '../../../src/simulation/control/household-control.ts';
import { DEFAULT_HEAT_PUMP_PREFERENCES } from '../../../src/simulation/control/preferences.ts';
import { steeringOf } from '../../../src/simulation/control/steering.ts';
import { Enclosure } from '../../../src/simulation/house/enclosure.ts';
import { HomeSearch } from '../../../src/simulation/house/home-search.ts';
import { WINDOWS_WALKED_BACK } from '../../../src/simulation/house/steered-house.ts';
import { WindowWalk } from '../../../src/simulation/house/window-walk.ts';
import { priceYear } from '../../../tools/validate/price-year.ts';
import { countCalls } from '../../support/call-counts.ts';
import { first } from '../fleet.ts';
import { dayNumber, dayOf, heatedHouseholds, simulationOf } from './houses.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const FIRST = dayNumber('2025-01-01');
const BOOK = priceYear('DE', FIRST, 365);
const HOUSE = first(heatedHouseholds(48.2, 16.4, { count: 30 }));

type Asked = Partial<HouseholdControl['heatPump']>;
const asking = (heatPump: Asked) =>
  steeringOf(BOOK, { ...UNCONTROLLED, heatPump: { ...UNCONTROLLED.heatPump, ...heatPump } });
const daysUpTo = (day: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => day - count + i);
const at = (from: number, comfort: number) => ({
  from,
  value: { ...DEFAULT_HEAT_PUMP_PREFERENCES, comfort_temperature_c: comfort },
});

/** Boosted each evening. */
const boosted = (days: readonly number[]): Asked => ({
  boosts: days.map((day) => ({ first: day * 96 + 68, end: day * 96 + 76 })),
});
/** Colder in each night. */
const setBack = (days: readonly number[]): Asked => ({
  preferences: days.flatMap((day) => [at(day * 96 + 20, 21), at(day * 96 + 84, 19)]),
});
/** Something else in each quarter hour. */
const restless = (days: readonly number[]): Asked => ({
  preferences: days.flatMap((day) =>
    Array.from({ length: 96 }, (_, i) => at(day * 96 + i, 20 + (i % 8) / 4)),
  ),
});

const SPRING = FIRST + 95;
const SUMMER = FIRST + 200;
const WINTER = FIRST + 340;

/** Calls of a function while a day is computed that nothing is known of. */
async function callsFor(asked: Asked, day: number, file: string, name: string): Promise<number> {
  const calls = await countCalls(file, () => Promise.resolve(dayOf(simulationOf(HOUSE, asking(asked)), day)));
  return calls.get(name) ?? 0;
}

describe('what a day costs', () => {
  test.each([
    ['in summer, boosted each evening', SUMMER, boosted],
    ['in summer, set back each night', SUMMER, setBack],
    ['in winter, boosted each evening', WINTER, boosted],
    ['in winter, set back each night', WINTER, setBack],
  ])('%s, does not grow with how often that was asked before', async (_, day, story) => {
    const windows = (count: number) => callsFor(story(daysUpTo(day, count)), day, 'window-walk.ts', 'walk');
    const few = await windows(50);
    expect(few).toBeLessThanOrEqual(WINDOWS_WALKED_BACK + 2);
    expect(await windows(200)).toBe(few);
  });

  test('is in proportion to the quarter hours that are walked, where each has preferences of its own', async () => {
    const fills = (count: number) =>
      callsFor(restless(daysUpTo(WINTER, count)), WINTER, 'day-forcing.ts', 'fill');
    // Each quarter hour as the unsteered house goes, in spans, and in what the twelve plans of a day look ahead to.
    expect(await fills(1)).toBeLessThan(96 * 12);
    expect(await fills(8)).toBeLessThan(8 * 96 * 12);
  });
});

describe('a house of which something else is asked every day', () => {
  const days = daysUpTo(SUMMER + 40, 40);
  const story = boosted(days);

  const planned = (asked: Asked, from: number, count: number): number => {
    const simulation = simulationOf(HOUSE, asking(asked));
    return Array.from({ length: count }, (_, i) => dayOf(simulation, from + i)).filter(({ follows }) =>
      follows.includes(CONTROL_MODE.schedule),
    ).length;
  };

  test.each([
    ['boosted each evening in summer', SUMMER, boosted, 39],
    ['boosted each evening in winter', WINTER - 40, boosted, 40],
    ['set back each night in summer', SUMMER, setBack, 40],
    ['set back each night in winter', WINTER - 40, setBack, 40],
    // Twice a rest of some days: mild weather keeps what is too warm.
    ['set back each night in spring', SPRING, setBack, 34],
  ])('%s, keeps its plans', (_, from, ask, least) => {
    expect(planned(ask(daysUpTo(from + 40, 40)), from, 40)).toBeGreaterThanOrEqual(least);
  });

  test('plans as if nothing were asked where the same is asked again', () => {
    const [day = NaN] = daysUpTo(WINTER, 3);
    const once = asking({ preferences: [at(day * 96, 21)] });
    const often = asking({ preferences: Array.from({ length: 288 }, (_, i) => at(day * 96 + i, 21)) });
    const [calm, asked] = [simulationOf(HOUSE, once), simulationOf(HOUSE, often)];
    for (let later = day; later < day + 5; later++) expect(dayOf(asked, later)).toEqual(dayOf(calm, later));
  });

  test.each([
    ['boosted each evening in summer', SUMMER, story],
    ['set back each night in summer', SUMMER, setBack(days)],
    ['set back each night in winter', WINTER - 30, setBack(daysUpTo(WINTER, 30))],
    ['something else in each quarter hour', SUMMER, restless(days.slice(-10))],
  ])('%s, is the same whether its days are walked or found one by one', (_, from, asked) => {
    const walked = simulationOf(HOUSE, asking(asked));
    for (let day = from - 1; day < from + 45; day++) {
      const rows = dayOf(walked, day);
      if (day % 4 === 0) expect(dayOf(simulationOf(HOUSE, asking(asked)), day)).toEqual(rows);
    }
  });

  test('was what it was, whatever is asked later', () => {
    const early = simulationOf(HOUSE, asking(boosted(days.slice(0, 30))));
    const late = simulationOf(HOUSE, asking(boosted(days)));
    const last = days[29] ?? NaN;
    for (const day of [last - 12, last - 5, last]) expect(dayOf(early, day)).toEqual(dayOf(late, day));
  });

  test('comes nearer to a day piece by piece, and is then there', () => {
    const asked = asking(setBack(days));
    const simulation = simulationOf(HOUSE, asked);
    let pieces = 0;
    while (!simulation.approach(SUMMER + 12)) pieces += 1;
    expect(pieces).toBeGreaterThan(5);
    expect(pieces).toBeLessThanOrEqual(WINDOWS_WALKED_BACK + 2);
    expect(dayOf(simulation, SUMMER + 12)).toEqual(dayOf(simulationOf(HOUSE, asked), SUMMER + 12));
  });

  test.each([
    ['set back each night', SUMMER + 12, setBack(days)],
    ['something else in each quarter hour', WINTER, restless(daysUpTo(WINTER, 40))],
    ['asked once', WINTER, { preferences: [at((WINTER - 40) * 96, 21)] }],
  ])('%s, walks or follows a day or a window at most in a piece', (_, day, asked) => {
    const steps = [
      vi.spyOn(WindowWalk.prototype, 'walk'),
      vi.spyOn(HomeSearch.prototype, 'goOn'),
      vi.spyOn(Enclosure.prototype, 'follow'),
    ];
    const simulation = simulationOf(HOUSE, asking(asked));
    const stepsIn: number[] = [];
    for (let isThere = false; !isThere;) {
      isThere = simulation.approach(day);
      stepsIn.push(steps.reduce((sum, { mock }) => sum + mock.calls.length, 0));
      for (const step of steps) step.mockClear();
    }
    expect(Math.max(...stepsIn)).toBe(1);
  });

  test('walks a window in each piece, and none when it is there', async () => {
    const simulation = simulationOf(HOUSE, asking(restless(daysUpTo(WINTER, 5))));
    const walksIn = async (work: () => unknown): Promise<number> => {
      const calls = await countCalls('window-walk.ts', () => Promise.resolve(work()));
      return calls.get('walk') ?? 0;
    };
    for (const day of [WINTER - 3, WINTER - 1, WINTER]) {
      const approaches: boolean[] = [];
      while (approaches.at(-1) !== true) {
        const walks = await walksIn(() => approaches.push(simulation.approach(day)));
        expect(walks).toBeLessThanOrEqual(1);
      }
      expect(await walksIn(() => dayOf(simulation, day))).toBe(0);
    }
  });
});
