import { expect, test } from 'vitest';
import type { FinishedAttempt } from '../../src/queries/deliveries/delivery-results.ts';
import { AttemptRecorder } from '../../src/webhooks/attempt-recorder.ts';

const attempt = (id: string): FinishedAttempt => ({
  worker_id: 1,
  slot: 1,
  lease_token: id,
  state: 'delivered',
  retry_after_ms: undefined,
  started_at: new Date(0),
  duration_ms: 1,
  error_class: undefined,
  status_code: 204,
  detail: undefined,
  address: undefined,
  secret_version: 1,
});

test('attempts that end together are written together, 200 at most', async () => {
  const batches: number[] = [];
  const recorder = new AttemptRecorder(
    async (attempts) => void batches.push(attempts.length),
    () => undefined,
  );
  await Promise.all(Array.from({ length: 450 }, (_, index) => recorder.record(attempt(String(index)))));
  expect(batches).toEqual([200, 200, 50]);
});

test('what could not be written is written later, 200 at a time at most', async () => {
  const batches: number[] = [];
  let failures = 0;
  const recorder = new AttemptRecorder(
    async (attempts) => {
      if (failures < 2) throw new Error('The database is away.');
      batches.push(attempts.length);
    },
    () => (failures += 1),
  );
  await Promise.all(Array.from({ length: 450 }, (_, index) => recorder.record(attempt(String(index)))));
  expect(batches).toEqual([200, 200, 50]);
});

test('a batch that could not be written is written again', async () => {
  const errors: unknown[] = [];
  const written: string[] = [];
  const recorder = new AttemptRecorder(
    async (attempts) => {
      if (errors.length === 0) throw new Error('The database is away.');
      written.push(...attempts.map(({ lease_token }) => lease_token));
    },
    (error) => errors.push(error),
  );
  await Promise.all([recorder.record(attempt('a')), recorder.record(attempt('b'))]);
  expect(written.sort()).toEqual(['a', 'b']);
  expect(errors).toEqual([new Error('The database is away.')]);
});

test('after the close a failure is not repeated', async () => {
  const errors: unknown[] = [];
  const recorder = new AttemptRecorder(
    async () => Promise.reject(new Error('The database is gone.')),
    (error) => errors.push(error),
  );
  const recorded = recorder.record(attempt('a'));
  recorder.close();
  await recorded;
  expect(errors).toEqual([new Error('The database is gone.')]);
});
