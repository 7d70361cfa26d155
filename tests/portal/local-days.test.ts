import { expect, test } from 'vitest';
import { HOUR_MS } from '../../src/domain/api/durations.ts';
import { addDays, createLocalClock } from '../../src/portal/local-days.ts';

test.each([
  ['Europe/Vienna', '2026-06-21', 24],
  ['Europe/Vienna', '2026-03-29', 23],
  ['Europe/Vienna', '2026-10-25', 25],
  // Its clocks are put forward at midnight, which that day does not have.
  ['Asia/Beirut', '2026-03-29', 23],
  ['UTC', '2026-10-25', 24],
])('in %s %s has %i hours', (zone, date, hours) => {
  const clock = createLocalClock(zone);
  const day = clock.findDay(date);
  if (day === undefined) throw new Error('There is no such day.');
  expect((day.to.getTime() - day.from.getTime()) / HOUR_MS).toBe(hours);
  expect([clock.dayOf(day.from), clock.dayOf(new Date(day.to.getTime() - 1)), clock.dayOf(day.to)]).toEqual([
    date,
    date,
    addDays(date, 1),
  ]);
});

test('a day that a zone has left out is no day, and the one before it ends where the one after it begins', () => {
  const { findDay } = createLocalClock('Pacific/Apia');
  const [before, left, after] = ['2011-12-29', '2011-12-30', '2011-12-31'].map(findDay);
  expect([before?.to, left]).toEqual([after?.from, undefined]);
  expect(after?.from).toEqual(new Date('2011-12-30T10:00:00Z'));
});

test('an hour that clocks show twice is told apart', () => {
  const { formatTime } = createLocalClock('Europe/Vienna');
  const times = ['00:15', '01:15', '02:15'].map((time) => formatTime(new Date(`2026-10-25T${time}:00Z`)));
  expect(times).toEqual(['02:15a', '02:15b', '03:15']);
});

test('what is no date is no day', () => {
  const { findDay } = createLocalClock('Europe/Vienna');
  expect(['2026-02-29', '2026-13-01', 'today', ''].map(findDay)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
