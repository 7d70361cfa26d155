import { expect, test } from 'vitest';
import fc from 'fast-check';
import {
  nextAttemptDelayMs,
  parseRetryAfterMs,
  RETRY_DELAYS_MS,
  type AttemptOutcome,
} from '../../../src/domain/notifications/retry.ts';

const now = new Date('2026-11-21T12:00:00Z');
const failed: AttemptOutcome = { kind: 'timed_out', afterMs: 5000 };
const rejected = (status: number, retryAfter: string): AttemptOutcome => ({
  kind: 'rejected',
  status,
  retryAfter,
});
const waitMs = (attempts: number, outcome: AttemptOutcome, random = 0.5): number | undefined =>
  nextAttemptDelayMs(attempts, outcome, now, () => random);

test('failed attempts wait 5 s, 30 s, 2 min, 10 min, 30 min, 2 h, 6 h, 12 h, 24 h and then no more', () => {
  const minutes = [5 / 60, 0.5, 2, 10, 30, 120, 360, 720, 1440];
  expect(Array.from({ length: 10 }, (_, index) => waitMs(index + 1, failed))).toEqual([
    ...minutes.map((each) => each * 60_000),
    undefined,
  ]);
});

test('the wait varies by 20 % either way', () => {
  expect(waitMs(2, failed, 0)).toBe(24_000);
  expect(waitMs(2, failed, 1 - Number.EPSILON)).toBe(36_000);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (n, dice) => {
        const delay = RETRY_DELAYS_MS[n - 1] ?? NaN;
        const wait = waitMs(n, failed, dice) ?? NaN;
        expect(wait).toBeGreaterThanOrEqual(0.8 * delay);
        expect(wait).toBeLessThanOrEqual(1.2 * delay);
      },
    ),
  );
});

test('a delivered message is not sent again', () => {
  expect(nextAttemptDelayMs(1, { kind: 'delivered', status: 200 }, now, () => 0.5)).toBeUndefined();
});

test.each([429, 503])('Retry-After of %d is honoured up to 24 hours and shortens nothing', (status) => {
  expect(waitMs(1, rejected(status, '120'))).toBe(120_000);
  expect(waitMs(1, rejected(status, 'Sat, 21 Nov 2026 12:03:00 GMT'))).toBe(180_000);
  expect(waitMs(1, rejected(status, '0'))).toBe(5_000);
  expect(waitMs(3, rejected(status, '1'))).toBe(120_000);
  expect(waitMs(1, rejected(status, '9999999999999999999999'))).toBe(86_400_000);
  expect(waitMs(1, rejected(status, 'Sat, 21 Nov 2099 12:03:00 GMT'))).toBe(86_400_000);
  expect(waitMs(10, rejected(status, '120'))).toBeUndefined();
});

test('Retry-After of other answers is not read', () => {
  expect(waitMs(1, rejected(500, '120'))).toBe(5_000);
});

test.each(['', 'soon', '-5', '1.5', '2026-11-21T12:03:00Z', 'Sat, 99 Nov 2026 12:03:00 GMT', '1e3'])(
  'Retry-After %j says nothing',
  (text) => {
    expect(parseRetryAfterMs(text, now)).toBeUndefined();
  },
);

test('a date of the past asks for no wait', () => {
  expect(parseRetryAfterMs('Sat, 21 Nov 2026 11:59:00 GMT', now)).toBe(0);
});
