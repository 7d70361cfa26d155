import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ARCHETYPES } from '../../../src/simulation/household/profiles.ts';
import { archetypeCurve, meanLoadCurve } from '../../../src/simulation/people/archetype-curves.ts';
import { MONTHS, meanOf, meanOverYear, normProfile } from '../../../src/simulation/people/norm-profile.ts';
import { DAY_TYPES } from '../../../src/simulation/time/day-type.ts';

/** Rows of the published table: 96 of 36 numbers, by month Saturday, Sunday, working day. */
const published = readFileSync(new URL('../../../tools/validate/truth/h25.csv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(3)
  .map((line) => line.split(',').slice(1).map(Number));

test('the profile has the shape of the published table in every month, and the year means 1', () => {
  for (let month = 0; month < MONTHS; month++) {
    for (const [column, type] of (['saturday', 'sunday', 'workday'] as const).entries()) {
      const profile = normProfile(month, type);
      const ratios = Array.from(profile, (load, i) => load / (published[i]?.[3 * month + column] ?? NaN));
      expect(Math.max(...ratios) / Math.min(...ratios)).toBeCloseTo(1, 9);
    }
  }
  expect(meanOverYear((month, type) => meanOf(normProfile(month, type)))).toBeCloseTo(1, 12);
});

test('winter takes more than summer, by the dynamisation', () => {
  expect(meanOf(normProfile(0, 'workday'))).toBeCloseTo(1.16, 1);
  expect(meanOf(normProfile(6, 'workday'))).toBeCloseTo(0.86, 1);
});

test('the mix of archetypes is the norm profile in every month, and each archetype consumes what its household does', () => {
  const energy = ARCHETYPES.reduce((sum, item) => sum + item.sharePercent * item.annualKwh, 0);
  for (let month = 0; month < MONTHS; month++) {
    for (const type of DAY_TYPES) {
      for (const [i, norm] of normProfile(month, type).entries()) {
        const mixed = ARCHETYPES.reduce(
          (sum, { name, sharePercent, annualKwh }) =>
            sum + (sharePercent * annualKwh * (archetypeCurve(name, month, type)[i] ?? 0)) / energy,
          0,
        );
        if (Math.abs(mixed - norm) > 1e-9)
          expect({ month, type, i, mixed }).toEqual({ month, type, i, mixed: norm });
      }
    }
  }
  for (const { name } of ARCHETYPES) expect(meanOf(meanLoadCurve(name))).toBeCloseTo(1, 9);
});
