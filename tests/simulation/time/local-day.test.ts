import { expect, test } from 'vitest';
import fc from 'fast-check';
import { localQuarterAt, utcQuarterAt } from '../../../src/simulation/time/local-day.ts';

const ZONES = [
  'Europe/Vienna',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Asia/Kathmandu',
];
const quarter = fc.integer({ min: Date.UTC(2020, 0, 1) / 900_000, max: Date.UTC(2030, 0, 1) / 900_000 });

test('a local time is found again in UTC, at most a change of the clock away', () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), quarter, (zone, utc) => {
      const { localDay, localQuarter } = localQuarterAt(zone, utc);
      const found = utcQuarterAt(zone, localDay, localQuarter);
      expect(Math.abs(found - utc)).toBeLessThanOrEqual(4);
      expect(localQuarterAt(zone, found)).toEqual({ localDay, localQuarter });
      expect(utcQuarterAt(zone, localDay - 1, localQuarter + 96)).toBe(found);
    }),
  );
});

test('a time that the clocks skip lies within an hour of the change', () => {
  const change = Date.UTC(2026, 2, 29, 1) / 900_000;
  const localDay = Date.UTC(2026, 2, 29) / 86_400_000;
  for (let skipped = 8; skipped < 12; skipped++) {
    expect(Math.abs(utcQuarterAt('Europe/Vienna', localDay, skipped) - change)).toBeLessThanOrEqual(4);
  }
});
