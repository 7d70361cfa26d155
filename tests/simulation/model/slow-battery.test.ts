/** Batteries of households that are so slow that their whole history counts: what a look at one of their days computes at once. */
import { afterEach, expect, test, vi } from 'vitest';
import { UNCONTROLLED } from '../../../src/simulation/control/household-control.ts';
import type { HouseholdControl } from '../../../src/simulation/control/household-control.ts';
import {
  DEFAULT_HEAT_PUMP_PREFERENCES,
  DEFAULT_INVERTER_PREFERENCES,
} from '../../../src/simulation/control/preferences.ts';
import type { Household } from '../../../src/simulation/household/household.ts';
import { HomeSearch } from '../../../src/simulation/house/home-search.ts';
import { WindowWalk } from '../../../src/simulation/house/window-walk.ts';
import type { Checkpoint } from '../../../src/simulation/model/counter-accumulator.ts';
import { HouseDays } from '../../../src/simulation/model/house-days.ts';
import { createHouseholdModel } from '../../../src/simulation/model/model.ts';
import { copyDay } from '../controlled.ts';
import { first, households, SLOW_BATTERY } from '../fleet.ts';
import { RESTLESS } from '../steered.ts';

afterEach(() => void vi.restoreAllMocks());

const ANCHOR_DAY = 20_000;
const FLEET = households(
  {
    count: 30,
    seed: 8,
    latitude: 48.2,
    longitude: 16.4,
    ...SLOW_BATTERY,
  },
  new Date(ANCHOR_DAY * 86_400_000),
);
const PLAIN = first(FLEET.filter(({ heat_pump: pump }) => pump === null));
const HEATED = first(FLEET.filter(({ heat_pump: pump }) => pump !== null));

/** Price response from the day on. */
const byPriceFrom = (day: number): HouseholdControl['inverter'] => ({
  preferences: [{ from: day * 96, value: { ...DEFAULT_INVERTER_PREFERENCES, price_response: true } }],
  boosts: [],
  unsteered: [],
});

/** Its model as a request finds it, with a checkpoint of the day. */
function modelAt(household: Household, control: HouseholdControl, checkpoint: Checkpoint) {
  const model = createHouseholdModel(household, { ...RESTLESS, control });
  model.counters.restore(checkpoint);
  return model;
}

const checkpointAt = (household: Household, control: HouseholdControl, day: number): Checkpoint =>
  createHouseholdModel(household, { ...RESTLESS, control }).counters.checkpointAt(day);

/** Calls of some spied functions in each piece on the way to a day, and in that day at last. */
function callsOnTheWay(
  model: ReturnType<typeof modelAt>,
  day: number,
  spies: readonly { readonly mock: { readonly calls: readonly unknown[] }; mockClear(): unknown }[],
) {
  const callsIn = (work: () => boolean) => {
    for (const spy of spies) spy.mockClear();
    const isThere = work();
    return { isThere, calls: spies.reduce((sum, { mock }) => sum + mock.calls.length, 0) };
  };
  const pieces: number[] = [];
  for (let isThere = false; !isThere;) {
    const piece = callsIn(() => model.approach(day));
    ({ isThere } = piece);
    pieces.push(piece.calls);
  }
  const { calls } = callsIn(() => model.day(day).stored.length > 0);
  return { pieces, ofDay: calls };
}

test('a day of a slow battery is approached by a household-day in a piece, and two in the last', () => {
  const day = ANCHOR_DAY + 400;
  const control = { ...UNCONTROLLED, inverter: byPriceFrom(day - 1) };
  const checkpoint = checkpointAt(PLAIN, control, day);
  const rows = copyDay(modelAt(PLAIN, control, checkpoint), day);
  const model = modelAt(PLAIN, control, checkpoint);
  const { pieces, ofDay } = callsOnTheWay(model, day, [vi.spyOn(HouseDays.prototype, 'fill')]);
  expect(pieces.pop()).toBeLessThanOrEqual(2);
  expect(Math.max(...pieces)).toBe(1);
  expect(pieces.length).toBeGreaterThan(400);
  expect(ofDay).toBeLessThanOrEqual(4);
  expect(copyDay(model, day)).toEqual(rows);
});

test('the heat pump beside it is approached as well on each of the days', () => {
  const day = ANCHOR_DAY + 60;
  const preferences = Array.from({ length: 120 }, (_, i) => ({
    from: (ANCHOR_DAY + 1) * 96 + i * 48,
    value: { ...DEFAULT_HEAT_PUMP_PREFERENCES, comfort_temperature_c: 19 + (i % 2) * 2 },
  }));
  const heatPump = { ...UNCONTROLLED.heatPump, preferences };
  const control = { ...UNCONTROLLED, heatPump, inverter: byPriceFrom(day - 1) };
  const checkpoint = checkpointAt(HEATED, control, day);
  const rows = copyDay(modelAt(HEATED, control, checkpoint), day);
  const model = modelAt(HEATED, control, checkpoint);
  const steps = [vi.spyOn(WindowWalk.prototype, 'walk'), vi.spyOn(HomeSearch.prototype, 'goOn')];
  const { pieces, ofDay } = callsOnTheWay(model, day, steps);
  expect(Math.max(...pieces)).toBe(1);
  expect(ofDay).toBeLessThanOrEqual(4);
  expect(copyDay(model, day)).toEqual(rows);
});
