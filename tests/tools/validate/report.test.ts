import { describe, expect, test } from 'vitest';
import { explainRows, findSurprises } from '../../../tools/validate/known-misses.ts';
import type { ColumnComparison } from '../../../tools/validate/people-homes.ts';
import { createReport, formatColumns, formatRows } from '../../../tools/validate/report.ts';
import { rowWithin } from '../../../tools/validate/row.ts';

const row = (id: string, value: number) =>
  rowWithin({ id, figure: `Figure ${id}`, truth: '2.5', source: 'a book' }, value, [2, 3]);
const shown = { ...row('beside', 9), accept: 'shown', verdict: 'shown' } as const;

test('a row is met within its range, both ends included', () => {
  expect([1.99, 2, 3, 3.01].map((value) => row('a', value).verdict)).toEqual([
    'missed',
    'met',
    'met',
    'missed',
  ]);
});

test('the table shows every row, and counts those of which something is asked', () => {
  expect(formatRows([row('low', 1.9), row('good', 2), shown])).toBe(
    [
      'Id     | Figure        | Truth | Simulated | Accepted | Verdict',
      '-------|---------------|-------|-----------|----------|--------',
      'low    | Figure low    | 2.5   | 1.90      | 2 to 3   | MISSED',
      'good   | Figure good   | 2.5   | 2.00      | 2 to 3   | met',
      'beside | Figure beside | 2.5   | 9.00      | shown    | shown',
      '',
      '1 of 2 met.',
    ].join('\n'),
  );
});

describe('a surprise is', () => {
  const reasons = { known: 'The winter is too mild.' };

  test('a new miss, and none that is known', () => {
    const surprises = findSurprises([row('known', 1), row('new', 1)], true, reasons);
    expect(surprises).toEqual(['new misses: Figure new: 1.00, accepted 2 to 3.']);
  });

  test('a known miss that is met', () => {
    expect(findSurprises([row('known', 2)], true, reasons)).toEqual([
      'known is met: take its reason out of KNOWN_MISSES.',
    ]);
  });

  test('a reason without a row, once all rows were measured', () => {
    expect(findSurprises([row('other', 2)], false, reasons)).toEqual([]);
    expect(findSurprises([row('other', 2)], true, reasons)).toEqual([
      'There is no row known: take its reason out of KNOWN_MISSES.',
    ]);
  });

  test('not a row of which nothing is asked', () => {
    expect(findSurprises([shown], true, {})).toEqual([]);
  });
});

test('a missed row carries its reason, a met one none', () => {
  const reasons = { low: 'The winter is too mild.', good: 'Never read.' };
  expect(explainRows([row('low', 1), row('good', 2)], reasons).map(({ reason }) => reason)).toEqual([
    'The winter is too mild.',
    undefined,
  ]);
});

test('the report has the parts in the order of the page, and the columns of homes with three digits', () => {
  const column: ColumnComparison = {
    column: 'max_kW',
    measured: [4.7249],
    simulated: [3.3812],
    distance: 0.6149,
  };
  const picture = { name: 'a', words: 'Lines.', width: 720, height: 320 };
  const nothing = { rows: [], pictures: [], columns: [] };
  const report = createReport(
    'f00',
    new Map([
      ['cars', { ...nothing, rows: [row('17', 2)] }],
      ['people', { rows: [], pictures: [{ shown: picture, svg: '<svg/>' }], columns: [column] }],
    ]),
  );
  const rounded = { ...column, measured: [4.72], simulated: [3.38], distance: 0.61 };
  expect(report).toEqual({
    fingerprint: 'f00',
    sections: [
      { name: 'people', heading: 'People', rows: [], pictures: [picture], columns: [rounded] },
      { name: 'cars', heading: 'Cars', rows: [row('17', 2)], pictures: [], columns: [] },
    ],
  });
  expect(formatColumns([rounded])).toContain('Farthest: max_kW.');
});
