import { expect, test } from 'vitest';
import { validateBody } from '../../src/contract/validate-body.ts';
import { validateDefinitionRules } from '../../src/simulation/definition/validate-definition-rules.ts';

const now = new Date('2026-06-15T12:00:00Z');

/** Pointer and code of what the document finds, and of what is found beside it. */
function errorsOf(body: unknown): { document: string[]; beside: string[] } {
  const result = validateBody('createFleet', { value: body, mayHoldUnstorableText: false });
  const faults = 'errors' in result ? result.errors : [];
  const told = (list: readonly { pointer?: string; code: string }[]) =>
    list.map(({ pointer, code }) => `${pointer ?? ''} ${code}`).sort();
  return { document: told(faults), beside: told(validateDefinitionRules(body, faults, now)) };
}

test('rules between fields are told together with faults of single fields', () => {
  expect(
    errorsOf({
      count: 0,
      seed: 'x',
      longitude: 8,
      history_cutoff: '2030-01-01',
      pv_rating_kw_range: { min: 9, max: 3 },
      battery_capacity_kwh_range: { min: 9 },
      groups: [
        { name: 'A', count: 4, percentage: 10 },
        { name: 'B', profile: 'castle', weights: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1] },
        'C',
      ],
    }),
  ).toEqual({
    document: [
      '/battery_capacity_kwh_range/max required',
      '/count minimum',
      '/groups/1/profile enum',
      '/groups/2 type',
      '/request_id required',
      '/seed type',
    ],
    beside: [
      '/groups/0 count_and_percentage',
      '/history_cutoff instant_in_future',
      '/latitude coordinates_incomplete',
      '/pv_rating_kw_range range_order',
    ],
  });
});

test('what depends on a wrong field is not validated', () => {
  const faulty = [
    { latitude: 'x', longitude: 8 },
    { annual_consumption_kwh: -1, annual_consumption_with_ev_kwh: 5 },
    { count: 'x', groups: [{ name: 'A', count: 500 }] },
    { count: 5, groups: [{ name: 'A', count: 500, colour: 'red' }] },
    { groups: [{ name: 'A', weights: [0, 0, 0, 0, 0, 0, 0, 0, 0, 'x'] }] },
    { density: { country: 'at', weights: '!' } },
    { groups: 'x' },
  ];
  for (const body of faulty) {
    const { document, beside } = errorsOf({ request_id: '0c5a9d0e-3a3e-4a8e-9d55-2f1b8f2a6c01', ...body });
    expect(document).not.toEqual([]);
    expect(beside).toEqual([]);
  }
});

test('a body that is no object, or broken in too many places, is not validated further', () => {
  expect(errorsOf([]).beside).toEqual([]);
  expect(errorsOf('x').beside).toEqual([]);
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`field${i}`, i]));
  expect(errorsOf({ ...many, latitude: 1 }).beside).toEqual([]);
});
