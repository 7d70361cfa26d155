import { expect, test } from 'vitest';
import { lastSettledDay, utcDayOf } from '../../src/households/counters.ts';

test.each([
  ['2026-06-15T00:00:00.000Z', '2026-06-14'],
  ['2026-06-15T00:59:59.999Z', '2026-06-14'],
  ['2026-06-15T01:00:00.000Z', '2026-06-15'],
  ['2026-06-15T23:59:59.999Z', '2026-06-15'],
])('at %s nothing changes any more before the day %s: prices come in up to an hour late', (now, day) => {
  expect(lastSettledDay(new Date(now))).toBe(utcDayOf(new Date(day)));
});
