import { expect, test } from 'vitest';
import { Pace, SLICE_DAYS, takeSpareTurn, takeTurn } from '../../src/households/pace.ts';
import { NO_COUNTERS, counterLedger } from '../../src/simulation/model/counters.ts';
import type { Ledger } from '../../src/simulation/model/counters.ts';

const origin = { day: 0, counters: NO_COUNTERS, stored: 0, vehicleStored: 0 };
const row = new Int32Array(97).fill(1);
const idle = { pv: row, ev: row, hp: row, grid: row, stored: row, vehicleStored: row };

function countingLedger(): Ledger & { readonly asked: () => number } {
  let days = 0;
  const ledger = counterLedger(origin, () => {
    days += 1;
    return idle;
  });
  return { ...ledger, asked: () => days };
}

test('turns are given one an iteration of the event loop, to requests before others', async () => {
  const course: string[] = [];
  let iteration = 0;
  let isOver = false;
  const count = (): void => {
    iteration += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const work = async (name: string, turn: () => Promise<void>): Promise<void> => {
    await turn();
    course.push(`${iteration} ${name}`);
  };
  await Promise.all([
    work('other', () => takeSpareTurn(0)),
    work('first', () => takeTurn(0)),
    work('second', () => takeTurn(0)),
    work('third', () => takeTurn(0)),
  ]);
  isOver = true;
  expect(course).toEqual(['1 first', '2 second', '3 third', '4 other']);
});

test('a walk waits for a turn before each slice, and no slice is larger than it may be', async () => {
  const ledger = countingLedger();
  const slices: number[] = [];
  let before = 0;
  const pace = new Pace(async (days) => {
    expect(ledger.asked() - before).toBe(days);
    before = ledger.asked();
    slices.push(days);
  });
  expect(await pace.reach(ledger, 2000)).toBe(true);
  expect(ledger.asked()).toBe(2000);
  expect(ledger.at(2000).counters.pv).toBe(2000 * 96);
  expect(slices.every((days) => days <= SLICE_DAYS)).toBe(true);
  expect(slices.length).toBeGreaterThanOrEqual(Math.floor(2000 / SLICE_DAYS));
  const turns = slices.length;
  expect(await pace.reach(ledger, 2000)).toBe(true);
  expect(slices).toHaveLength(turns);
});

test('a walk that is to stop stops at the next step', async () => {
  const ledger = countingLedger();
  const pace = new Pace(takeTurn, () => ledger.asked() >= 400);
  expect(await pace.reach(ledger, 2000)).toBe(false);
  expect(ledger.asked()).toBe(400);
});
