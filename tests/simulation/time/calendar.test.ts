import { expect, test } from 'vitest';
import fc from 'fast-check';
import { DAY_MS } from '../../../src/domain/api/durations.ts';
import { dayOfYear, utcYearOf } from '../../../src/simulation/time/calendar.ts';

test('year and day of the year are those of Date, leap years and centuries included', () => {
  const instant = fc.integer({ min: Date.UTC(1600, 0, 1), max: Date.UTC(2500, 0, 1) });
  fc.assert(
    fc.property(instant, (atMs) => {
      const year = new Date(atMs).getUTCFullYear();
      const day = Math.floor(atMs / DAY_MS);
      expect(utcYearOf(atMs)).toBe(year);
      expect(dayOfYear(day)).toBe(day - Date.UTC(year, 0, 1) / DAY_MS + 1);
    }),
  );
  expect(dayOfYear(Date.UTC(2024, 11, 31) / DAY_MS)).toBe(366);
  expect(dayOfYear(Date.UTC(2100, 11, 31) / DAY_MS)).toBe(365);
});
