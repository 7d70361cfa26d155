import { afterAll, expect, test, vi } from 'vitest';
import { ComputePool } from '../../src/compute/pool.ts';
import { warmUp, warmUpLater } from '../../src/compute/warm-up.ts';
import { Problem } from '../../src/domain/api/problem.ts';
import { yieldLowPriority } from '../../src/households/time-slicer.ts';
import { countCalls } from '../support/call-counts.ts';

const NOW = new Date('2026-01-15T12:07:00.000Z');
const pool = new ComputePool({ threads: 2 });
afterAll(() => pool.stop());

test('each round computes a schedule on two threads, and a schedule and a state in slices on the event loop', async () => {
  const run = vi.spyOn(pool, 'run');
  let slices = 0;
  const yieldToEventLoop = (days: number): Promise<void> => {
    slices += 1;
    return yieldLowPriority(days);
  };
  const { signal } = new AbortController();
  const work = () => warmUp(pool, { now: NOW, signal, rounds: 3, yieldToEventLoop });
  const states = await countCalls('model/device-state.ts', work);
  expect(states.get('computeDeviceState')).toBe(3);
  const answers = await Promise.all(
    run.mock.results.map(({ value }) => value as Promise<{ answer: Uint8Array }>),
  );
  expect(new Set(run.mock.calls.map(([party]) => party)).size).toBe(2);
  expect(answers).toHaveLength(2 * 3);
  for (const { answer } of answers) {
    const { data, metadata } = JSON.parse(Buffer.from(answer).toString()) as {
      data: unknown[];
      metadata: unknown;
    };
    expect([data.length, metadata]).toEqual([2 * 96, { prices: ['default', 'own'] }]);
  }
  expect(slices).toBeGreaterThan(3);
});

test('where the threads are needed otherwise it goes on without them', async () => {
  const run = vi.fn(() => Promise.reject(new Problem('overloaded', 'Busy.')));
  const states = await countCalls('model/device-state.ts', () =>
    warmUp({ run }, { now: NOW, signal: new AbortController().signal, rounds: 2 }),
  );
  expect([run.mock.calls.length, states.get('computeDeviceState')]).toEqual([2, 2]);
});

test('it begins when the threads have started, and a stop ends it at the next slice', async () => {
  let begin = (): void => undefined;
  const startLater = (onStart?: () => void): void => void (begin = onStart ?? begin);
  const [run, onError] = [vi.fn(() => new Promise<never>(() => undefined)), vi.fn()];
  const states = await countCalls('model/device-state.ts', async () => {
    const stopped = warmUpLater(
      { run: () => Promise.reject(new Error('Stopped.')), startLater },
      () => NOW,
      onError,
    );
    begin();
    await stopped.stop();
    const never = warmUpLater({ run, startLater }, () => NOW, onError);
    await never.stop();
  });
  expect([states.get('computeDeviceState') ?? 0, run.mock.calls, onError.mock.calls]).toEqual([0, [], []]);
});

test('what goes wrong is told', async () => {
  const told = Promise.withResolvers<unknown>();
  const run = (): Promise<never> => Promise.reject(new Error('A fault.'));
  warmUpLater({ run, startLater: (onStart) => onStart?.() }, () => NOW, told.resolve);
  expect(await told.promise).toEqual(new Error('A fault.'));
});
