/** What a house remembers of its returns after what was asked of it: in searches that go on in pieces, and in what they have found. */
import { expect, test } from 'vitest';
import { UNCONTROLLED } from '../../../src/simulation/control/household-control.ts';
import { Interventions } from '../../../src/simulation/house/interventions.ts';
import { SettledWindows } from '../../../src/simulation/house/settled-windows.ts';
import { UnsteeredHouse } from '../../../src/simulation/house/unsteered-house.ts';
import { countCalls } from '../../support/call-counts.ts';
import { first } from '../fleet.ts';
import { dayNumber, heatedHouseholds } from './houses.ts';

const DAY = dayNumber('2026-07-10');
/** Days between two interruptions, after which no house is home in summer. */
const SPACING = 2;
const HOUSE = first(heatedHouseholds(48.2, 16.4, { count: 30, anchor: new Date('2000-01-01T00:00:00Z') }));

/** Windows of a house that is interrupted for an hour now and then, each of which goes by an interruption of its own. */
function settledWindows(): SettledWindows {
  const unsteered = Array.from({ length: 320 }, (_, back) => {
    const start = (DAY - 2 - (319 - back) * SPACING) * 96 + 80;
    return { first: start, end: start + 4 };
  });
  const control = { ...UNCONTROLLED, heatPump: { ...UNCONTROLLED.heatPump, unsteered } };
  const house = new UnsteeredHouse(HOUSE, HOUSE.heat_pump, control);
  return new SettledWindows(house, new Interventions(control), HOUSE.time_zone);
}
const windowBefore = (count: number): number => DAY - count * SPACING;

function piecesOf(windows: SettledWindows, window: number): number {
  let pieces = 1;
  while (!windows.approach(window)) pieces += 1;
  return pieces;
}

test('searches that nobody goes on with are forgotten when 256 others have begun', () => {
  const windows = settledWindows();
  const whole = piecesOf(settledWindows(), DAY);
  expect(whole).toBeGreaterThan(2);
  windows.approach(DAY);
  for (let other = 1; other <= 300; other += 1) windows.approach(windowBefore(other));
  expect(piecesOf(windows, DAY)).toBe(whole);
});

test('of the returns that were found the last 256 are remembered', async () => {
  const windows = settledWindows();
  const daysFor = async (...counts: readonly number[]): Promise<number> => {
    const calls = await countCalls('home-search.ts', () => {
      for (const count of counts) windows.isSettled(windowBefore(count));
      return Promise.resolve();
    });
    return calls.get('goOn') ?? 0;
  };
  const upTo = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
  const once = await daysFor(0);
  expect(once).toBeGreaterThan(0);
  // Far more windows than are remembered themselves.
  await daysFor(...upTo(1, 200));
  expect(await daysFor(0)).toBe(0);
  await daysFor(...upTo(200, 300));
  expect(await daysFor(0)).toBe(once);
});
