import { expect, test } from 'vitest';
import fc from 'fast-check';
import { dayOfYear } from '../../../src/simulation/time/calendar.ts';
import { zoneOffsetMinutes } from '../../../src/simulation/time/zone.ts';
import { countCalls } from '../../support/call-counts.ts';

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

/** An instant in the middle of a year. */
const middleOf = (year: number): number => new Date(0).setUTCFullYear(year, 6, 1);

test('sixteen years of a zone are kept, and those of ever other years are not', async () => {
  const looks = (years: readonly number[]) =>
    countCalls('time/zone.ts', () => {
      for (const year of years) expect(zoneOffsetMinutes('Europe/Rome', middleOf(year))).toBe(120);
      return Promise.resolve();
    }).then((calls) => calls.get('findYearSpans') ?? 0);
  const years = Array.from({ length: 16 }, (_, index) => 5000 + index);
  expect(await looks([...years, ...years, ...years])).toBe(16);
  expect(await looks([6000])).toBe(1);
  expect(await looks([5000])).toBe(1);
});

test('years before there was a law have an offset too, in any order', () => {
  const offsets = (years: readonly number[]) =>
    years.map((year) => zoneOffsetMinutes('Africa/Abidjan', middleOf(year)));
  expect(offsets([-1, 0, 5, 11, 12, 99, 100, 1911, 1912])).toEqual([-16, -16, -16, -16, -16, 0, -16, -16, 0]);
  expect(offsets([1912, 1911, 100, 99, 12, 11, 5, 0, -1])).toEqual([0, -16, -16, 0, -16, -16, -16, -16, -16]);
});

test('days of the year count from one', () => {
  const day = (year: number, month: number, date: number) =>
    dayOfYear(Date.UTC(year, month, date) / 86_400_000);
  expect([day(2026, 0, 1), day(2026, 11, 31), day(2028, 11, 31)]).toEqual([1, 365, 366]);
});
