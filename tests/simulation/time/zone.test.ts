import { expect, test } from 'vitest';
import fc from 'fast-check';
import { dayOfYear } from '../../../src/simulation/time/calendar.ts';
import { zoneOffsetMinutes } from '../../../src/simulation/time/zone.ts';

test('offsets change at the second at which the law says so', () => {
  const spring = Date.UTC(2026, 2, 29, 1);
  const autumn = Date.UTC(2026, 9, 25, 1);
  const around = [spring - 1, spring, autumn - 1, autumn].map((atMs) =>
    zoneOffsetMinutes('Europe/Vienna', atMs),
  );
  expect(around).toEqual([60, 120, 120, 60]);
  expect(zoneOffsetMinutes('Asia/Kathmandu', spring)).toBe(345);
  expect(zoneOffsetMinutes('Pacific/Apia', Date.UTC(2026, 0, 1))).toBe(780);
});

test('offsets are those that Intl gives, in zones with odd rules too', () => {
  const zones = [
    'Europe/London',
    'America/New_York',
    'Africa/Casablanca',
    'Australia/Lord_Howe',
    'America/Santiago',
    'UTC',
  ];
  const instant = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2030, 0, 1) });
  fc.assert(
    fc.property(fc.constantFrom(...zones), instant, (timeZone, atMs) => {
      const wall = new Date(atMs - (atMs % 60_000));
      const text = new Intl.DateTimeFormat('sv-SE', {
        timeZone,
        dateStyle: 'short',
        timeStyle: 'medium',
      }).format(wall);
      const local = Date.parse(`${text.replace(' ', 'T')}Z`);
      expect(zoneOffsetMinutes(timeZone, atMs)).toBe((local - wall.getTime()) / 60_000);
    }),
  );
});

test('days of the year count from one', () => {
  const day = (year: number, month: number, date: number) =>
    dayOfYear(Date.UTC(year, month, date) / 86_400_000);
  expect([day(2026, 0, 1), day(2026, 11, 31), day(2028, 11, 31)]).toEqual([1, 365, 366]);
});
