import { expect, test } from 'vitest';
import { dayTypeOf } from '../../../src/simulation/time/day-type.ts';

test('days have the type of their weekday, and the eves count as Saturdays', () => {
  const types = ['2026-11-20', '2026-11-21', '2026-11-22', '2026-12-24', '2026-12-31'].map((text) =>
    dayTypeOf(Date.parse(`${text}T00:00:00Z`) / 86_400_000, 'DE'),
  );
  expect(types).toEqual(['workday', 'saturday', 'sunday', 'saturday', 'saturday']);
});
