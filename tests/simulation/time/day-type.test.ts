import { expect, test } from 'vitest';
import { dayTypeOf } from '../../../src/simulation/time/day-type.ts';

test('days have the type of their weekday, and the eves count as Saturdays', () => {
  const types = ['2026-11-20', '2026-11-21', '2026-11-22', '2026-12-24', '2026-12-31'].map((text) =>
    dayTypeOf(Date.parse(`${text}T00:00:00Z`) / 86_400_000, 'DE'),
  );
  expect(types).toEqual(['workday', 'saturday', 'sunday', 'saturday', 'saturday']);
});

test('days have the same type whatever country and year was asked before', () => {
  const day = (text: string): number => Date.parse(`${text}T00:00:00Z`) / 86_400_000;
  const asked = [
    ['2026-12-31', 'AT', 'saturday'],
    ['2027-01-01', 'AT', 'sunday'],
    ['2027-01-06', 'DE', 'workday'],
    ['2027-01-06', 'AT', 'sunday'],
    ['2024-12-31', 'AT', 'saturday'],
    ['2031-10-26', 'AT', 'sunday'],
    ['2026-10-26', 'AT', 'sunday'],
    ['2026-10-26', 'DE', 'workday'],
    ['2026-12-30', null, 'workday'],
    ['2028-12-31', null, 'sunday'],
    ['2027-12-25', 'DE', 'sunday'],
  ] as const;
  for (const round of [1, 2]) {
    for (const [text, country, type] of round === 1 ? asked : [...asked].reverse()) {
      expect([text, country, dayTypeOf(day(text), country)]).toEqual([text, country, type]);
    }
  }
});
