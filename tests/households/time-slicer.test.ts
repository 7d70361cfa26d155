import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import {
  TimeSlicer,
  TIME_SLICE_DAYS,
  yieldLowPriority,
  yieldToEventLoop,
} from '../../src/households/time-slicer.ts';
import { CounterAccumulator, ZERO_COUNTERS } from '../../src/simulation/model/counter-accumulator.ts';

const origin = { day: 0, counters: ZERO_COUNTERS, stored: 0, vehicleStored: 0 };
const row = new Int32Array(97).fill(1);
const idle = { pv: row, ev: row, hp: row, grid: row, stored: row, vehicleStored: row };

afterEach(() => void vi.restoreAllMocks());

class CountingAccumulator extends CounterAccumulator {
  readonly asked: () => number;

  constructor() {
    let days = 0;
    super(origin, {
      of: () => {
        days += 1;
        return idle;
      },
      approach: () => true,
    });
    this.asked = () => days;
  }
}

test('turns are given one after the other, to requests before others', async () => {
  const course: string[] = [];
  const work = async (name: string, turn: () => Promise<void>): Promise<void> => {
    await turn();
    course.push(name);
  };
  await Promise.all([
    work('other', () => yieldLowPriority(0)),
    work('first', () => yieldToEventLoop(0)),
    work('second', () => yieldToEventLoop(0)),
    work('third', () => yieldToEventLoop(0)),
  ]);
  expect(course).toEqual(['first', 'second', 'third', 'other']);
});

let timesTold = 0;

/** A clock and an event loop whose idle time is told; `looks` resolves once it was asked for that so many times more. */
function tellTheLoop() {
  // Each time later than whatever was told before.
  timesTold += 1;
  const told = {
    nowMs: performance.now() + 10_000 * timesTold,
    idleMs: performance.eventLoopUtilization().idle,
  };
  let left = Infinity;
  let resolve = (): void => undefined;
  vi.spyOn(performance, 'now').mockImplementation(() => told.nowMs);
  vi.spyOn(performance, 'eventLoopUtilization').mockImplementation(() => {
    left -= 1;
    if (left <= 0) resolve();
    return { idle: told.idleMs, active: 0, utilization: 0 };
  });
  const looks = (count: number): Promise<undefined> => {
    const looked = Promise.withResolvers<undefined>();
    left = count;
    resolve = () => looked.resolve(undefined);
    return looked.promise;
  };
  return { told, looks };
}

/** Slices that take so long, and how many there were. */
function countSlices(told: { nowMs: number }, tookMs: number) {
  const count = { slices: 0 };
  const slice = async (): Promise<void> => {
    await yieldToEventLoop(0);
    count.slices += 1;
    told.nowMs += tookMs;
    // By then the slice has been measured.
    await setImmediate();
  };
  return { count, slice };
}

test.each([
  [0, 2],
  [10, 10],
  [100, 16],
])(
  'a slice of %i ms counts as %i ms: a quarter of it the event loop is idle then, or eight times it passes',
  async (tookMs, countedMs) => {
    const { told, looks } = tellTheLoop();
    const { count, slice } = countSlices(told, tookMs);
    await slice();
    told.nowMs += 8 * countedMs - tookMs - 1;
    told.idleMs += countedMs / 4 - 0.1;
    const second = slice();
    await looks(3);
    expect(count.slices).toBe(1);
    told.idleMs += 0.2;
    await second;
    told.nowMs += 8 * countedMs - tookMs - 1;
    const third = slice();
    await looks(3);
    expect(count.slices).toBe(2);
    told.nowMs += 1;
    await third;
    expect(count.slices).toBe(3);
  },
);

test('what is served behind a slice in the same turn of the event loop does not count', async () => {
  const { told, looks } = tellTheLoop();
  const { count, slice } = countSlices(told, 0);
  const first = slice();
  globalThis.setImmediate(() => (told.nowMs += 15));
  await first;
  const second = slice();
  await looks(1);
  expect(count.slices).toBe(1);
  told.nowMs += 1;
  await second;
});

test('who comes when nothing was computed for a while does not wait', async () => {
  const { told, looks } = tellTheLoop();
  const { count, slice } = countSlices(told, 0);
  await slice();
  told.nowMs += 16;
  const looksBehind = looks(1);
  await slice();
  await looksBehind;
  expect(count.slices).toBe(2);
});

test('one slice in eight is of background work, however many requests wait', async () => {
  const course: string[] = [];
  let isOver = false;
  const requests = async (partnerId: string): Promise<void> => {
    while (!isOver) {
      await yieldToEventLoop(0, partnerId);
      course.push('request');
      // Ends the test where background work never has a slice.
      isOver ||= course.length >= 100;
    }
  };
  const background = async (): Promise<void> => {
    for (let slice = 0; slice < 4; slice += 1) {
      await yieldLowPriority(0);
      course.push('background');
    }
    isOver = true;
  };
  await Promise.all([requests('one'), requests('one'), requests('two'), background()]);
  const slices = course.flatMap((who, index) => (who === 'background' ? [index] : []));
  expect(slices).toEqual([7, 15, 23, 31]);
});

test('partners take turns, however many requests of one wait', async () => {
  const course: string[] = [];
  const slices = async (name: string, partnerId: string, count: number): Promise<void> => {
    for (let slice = 0; slice < count; slice += 1) {
      await yieldToEventLoop(0, partnerId);
      course.push(name);
    }
  };
  const many = Array.from({ length: 4 }, (_, index) => slices(`many ${index}`, 'many', 2));
  await Promise.all([...many, slices('one', 'one', 2), slices('two', 'two', 1)]);
  const others = course.filter((name) => !name.startsWith('many'));
  expect(others).toEqual(['one', 'two', 'one']);
  expect(course.slice(0, 5)).toEqual(['many 0', 'one', 'two', 'many 1', 'one']);
});

test('a walk waits for a turn before each slice, and no slice is larger than it may be', async () => {
  const accumulator = new CountingAccumulator();
  const slices: number[] = [];
  let before = 0;
  const slicer = new TimeSlicer(async (days) => {
    expect(accumulator.asked() - before).toBe(days);
    before = accumulator.asked();
    slices.push(days);
  });
  expect(await slicer.advanceTo(accumulator, 2000)).toMatchObject({ day: 2000 });
  expect(accumulator.asked()).toBe(2000);
  expect(accumulator.checkpointAt(2000).counters.pv).toBe(2000 * 96);
  expect(slices.every((days) => days <= TIME_SLICE_DAYS)).toBe(true);
  expect(slices.length).toBeGreaterThanOrEqual(Math.floor(2000 / TIME_SLICE_DAYS));
  const turns = slices.length;
  expect(await slicer.advanceTo(accumulator, 2000)).toMatchObject({ day: 2000 });
  expect(slices).toHaveLength(turns);
});

test('a walk that is to stop stops at the next step', async () => {
  const accumulator = new CountingAccumulator();
  const slicer = new TimeSlicer(yieldToEventLoop, () => accumulator.asked() >= 400);
  expect(await slicer.advanceTo(accumulator, 2000)).toBeUndefined();
  expect(accumulator.asked()).toBe(400);
});
