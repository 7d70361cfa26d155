import { expect, test } from 'vitest';
import { HOUR_MS } from '../../src/domain/api/durations.ts';
import { createLocalClock } from '../../src/portal/local-days.ts';
import { drawDay } from '../../src/portal/sparkline.ts';

const { findDay } = createLocalClock('Europe/Vienna');

/** The line of a day of Vienna on which these powers are drawn, hour by hour from its beginning. */
function draw(date: string, powers: (hour: number) => number | null): string {
  const day = findDay(date);
  if (day === undefined) throw new Error('There is no such day.');
  const hours = (day.to.getTime() - day.from.getTime()) / HOUR_MS;
  const entries = Array.from({ length: hours }, (_, hour) => ({
    time: new Date(day.from.getTime() + hour * HOUR_MS).toISOString(),
    grid_power_w: powers(hour),
  }));
  return drawDay(entries, day, 'A day').path;
}

test.each([
  ['2026-03-29', 23],
  ['2026-06-21', 24],
  ['2026-10-25', 25],
])('the line of %s, a day of %i hours, ends where the picture does', (date, hours) => {
  const ends = [...draw(date, () => 1_000).matchAll(/H([\d.]+)/g)].map(([, end]) => Number(end));
  expect([ends.length, ends.at(-1)]).toEqual([hours, 96]);
});

test('hours that are not known are a gap, and those before them end in time', () => {
  const path = draw('2026-06-21', (hour) => (hour < 6 || hour === 12 ? null : 1_000));
  expect(path).toBe(
    'M24.0 0.0H28.0V0.0H32.0V0.0H36.0V0.0H40.0V0.0H44.0V0.0H48.0M52.0 0.0H56.0V0.0H60.0V0.0H64.0V0.0H68.0V0.0H72.0V0.0H76.0V0.0H80.0V0.0H84.0V0.0H88.0V0.0H92.0V0.0H96.0',
  );
});

test('a day whose values begin at noon is drawn from the middle on', () => {
  const day = findDay('2026-06-21');
  if (day === undefined) throw new Error('There is no such day.');
  const time = new Date(day.from.getTime() + 12 * HOUR_MS).toISOString();
  expect(drawDay([{ time, grid_power_w: 1_000 }], day, 'A day').path).toBe('M48.0 0.0H52.0');
});

test('a swing of a few watts is no swing: the height shows a hundred at least', () => {
  const heights = [
    ...draw('2026-06-21', (hour) => (hour % 2 === 0 ? 10 : -10)).matchAll(/[MV][\d.]* ?([\d.]+)H/g),
  ];
  const values = heights.map(([step]) => Number(/([\d.]+)H$/.exec(step)?.[1]));
  expect([Math.min(...values), Math.max(...values)]).toEqual([9.6, 14.4]);
});
