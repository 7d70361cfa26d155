import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LazyThreads } from '../../src/compute/lazy-threads.ts';
import { PasswordThreads } from '../../src/compute/password-threads.ts';
import { ComputePool } from '../../src/compute/pool.ts';
import { ManualTimers } from '../shares/manual-timers.ts';
import { measureLeft } from '../support/garbage.ts';

const FILE = fileURLToPath(new URL('faulty-worker.ts', import.meta.url));
const IDLE_START_MS = 10_000;

let timers: ManualTimers;
let threads: LazyThreads<{ readonly name: string }, object>;
let startedCount: number;
const countStarted = (): void => void (startedCount += 1);

beforeEach(() => {
  timers = new ManualTimers();
  threads = new LazyThreads({ filename: FILE, minThreads: 2, maxThreads: 2 }, timers.start);
  startedCount = 0;
  process.on('worker', countStarted);
});
afterEach(async () => {
  process.off('worker', countStarted);
  await threads.stop();
});

/** Node.js tells of a new thread in the turn that makes it, after all else. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('no thread starts before its time, then all do, and once only', async () => {
  threads.startLater();
  timers.advance(IDLE_START_MS - 1);
  await nextTurn();
  expect(startedCount).toBe(0);
  timers.advance(1);
  await nextTurn();
  expect(startedCount).toBe(2);
  expect(await threads.run({ name: 'work' })).toBeDefined();
  expect(startedCount).toBe(2);
});

test('the first task starts the threads, and the timer no others', async () => {
  threads.startLater();
  expect(await threads.run({ name: 'work' })).toBeDefined();
  expect(startedCount).toBe(2);
  timers.advance(IDLE_START_MS);
  await nextTurn();
  expect(startedCount).toBe(2);
});

test('after a stop nothing starts, by the timer or by a task', async () => {
  threads.startLater();
  await threads.stop();
  timers.advance(IDLE_START_MS);
  await expect(threads.run({ name: 'work' })).rejects.toThrow('The threads were stopped.');
  await nextTurn();
  expect(startedCount).toBe(0);
});

test.each([
  { of: 'heavy work', make: () => new ComputePool({ threads: 2, startTimer: timers.start }), count: 2 },
  { of: 'passwords', make: () => new PasswordThreads(timers.start), count: 1 },
])('threads for $of start later', async ({ make, count }) => {
  const made = make();
  try {
    made.startLater();
    await nextTurn();
    expect(startedCount).toBe(0);
    timers.advance(IDLE_START_MS);
    await nextTurn();
    expect(startedCount).toBe(count);
  } finally {
    await made.stop();
  }
});

test('waiting to start does not keep a process', async () => {
  const waiting = new LazyThreads({ filename: FILE });
  const timersBefore = countTimers();
  waiting.startLater();
  expect(countTimers()).toBe(timersBefore);
  await waiting.stop();
});

/** Those that keep the process. */
function countTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

test('100 answers of 200 kB leave none of them for a full collection', async () => {
  const left = await measureLeft(
    () => process.memoryUsage().arrayBuffers,
    () => threads.run({ name: 'fill' }),
  );
  expect(left).toBeLessThan(4_000_000);
});
