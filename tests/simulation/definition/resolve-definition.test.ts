import { describe, expect, test } from 'vitest';
import { resolveDefinition } from '../../../src/simulation/definition/resolve-definition.ts';
import {
  canonicalDefinitionJson,
  toDefinitionRecord,
  computeHistoryWindow,
} from '../../../src/simulation/definition/definition-record.ts';
import { NOW, REQUEST_ID, faultsOf, resolved } from '../fleet.ts';

const ten = (first: number, rest = 0) => [first, ...new Array<number>(9).fill(rest)];

describe('violations', () => {
  test.each([
    [{ latitude: 48 }, ['coordinates_incomplete /longitude']],
    [{ longitude: 16, latitude: null }, ['coordinates_incomplete /latitude']],
    [{ pv_rating_kw_range: { min: 3, max: 2 } }, ['range_order /pv_rating_kw_range']],
    [{ history_cutoff: '2026-11-21T10:07:31Z' }, ['instant_in_future /history_cutoff']],
    [{ history_cutoff: '2026-11-21T11:07:31+01:00' }, ['instant_in_future /history_cutoff']],
    [{ groups: [{ name: 'a', count: 1, percentage: 10 }] }, ['count_and_percentage /groups/0']],
    [{ count: 3, groups: [{ name: 'a', count: 4 }] }, ['groups_exceed_count /groups']],
    [
      {
        groups: [
          { name: 'a', percentage: 60 },
          { name: 'b', percentage: 40.000001 },
        ],
      },
      ['groups_exceed_count /groups'],
    ],
    [{ groups: [{ name: 'a', count: 0 }] }, ['groups_total_out_of_range /groups']],
    [
      {
        groups: [
          { name: 'a', count: 600 },
          { name: 'b', count: 401 },
        ],
      },
      ['groups_total_out_of_range /groups'],
    ],
    [
      { groups: [{ name: 'a', profile: 'home_office', weights: ten(1) }] },
      ['weights_with_profile /groups/0/weights'],
    ],
    [{ groups: [{ name: 'a', weights: ten(0) }] }, ['weights_sum_zero /groups/0/weights']],
    [{ groups: [{ name: 'a', weights: ten(-1, 1) }] }, ['minimum /groups/0/weights/0']],
    [{ history_cutoff: '1969-12-31T23:59:59Z' }, ['instant_too_early /history_cutoff']],
    [{ history_cutoff: '1970-01-31', history_days: 31 }, ['instant_too_early /history_cutoff']],
    [{ history_cutoff: '0000-01-01' }, ['instant_too_early /history_cutoff']],
    [{ groups: [{ name: 'a' }, { name: 'a' }] }, ['duplicate_group_name /groups/1/name']],
    [
      {
        groups: [
          { name: 'a', count: 1 },
          { name: 'default', count: 1 },
        ],
        count: 3,
      },
      ['duplicate_group_name /groups/1/name'],
    ],
    [
      { annual_consumption_kwh: 10, annual_consumption_with_ev_kwh: 9 },
      ['consumption_order /annual_consumption_with_ev_kwh'],
    ],
    [
      { annual_consumption_kwh: 10, groups: [{ name: 'a', annual_consumption_with_ev_kwh: 9 }] },
      ['consumption_order /groups/0/annual_consumption_with_ev_kwh'],
    ],
  ])('%j', (body, faults) => {
    expect(faultsOf(body)).toEqual(faults);
  });

  test('all are reported at once', () => {
    const body = {
      latitude: 1,
      initial_soc_percent_range: { min: 9, max: 8 },
      history_cutoff: '2027-01-01T00:00:00',
      groups: [
        { name: 'a', weights: ten(0) },
        { name: 'b', count: 1, percentage: 1 },
      ],
    };
    expect(faultsOf(body)).toEqual([
      'coordinates_incomplete /longitude',
      'range_order /initial_soc_percent_range',
      'instant_in_future /history_cutoff',
      'weights_sum_zero /groups/0/weights',
      'count_and_percentage /groups/1',
    ]);
  });
});

test('a cutoff at the present instant, a history from 1970 on and groups of exactly a hundred percent are accepted', () => {
  expect(faultsOf({ history_cutoff: NOW.toISOString() })).toEqual([]);
  expect(faultsOf({ history_cutoff: '1970-01-01T00:00:00Z' })).toEqual([]);
  expect(faultsOf({ history_cutoff: '1970-04-01', history_days: 90 })).toEqual([]);
  expect(
    faultsOf({
      groups: [
        { name: 'a', percentage: 60 },
        { name: 'b', percentage: 40 },
      ],
    }),
  ).toEqual([]);
});

test('a bare definition gets the documented defaults', () => {
  const { definition, density, warnings } = resolved();
  expect(toDefinitionRecord(definition)).toEqual({
    request_id: REQUEST_ID,
    name: 'Simulated fleet',
    count: 10,
    seed: 42,
    history_days: 0,
    history_cutoff: null,
    latitude: null,
    longitude: null,
    density: null,
    ev_ownership_fraction: 0.25,
    pv_rating_kw: null,
    battery_capacity_kwh: null,
    max_charge_power_w: null,
    max_discharge_power_w: null,
    initial_soc_percent: null,
    pv_rating_kw_range: null,
    battery_capacity_kwh_range: null,
    initial_soc_percent_range: null,
    max_charge_power_w_range: null,
    max_discharge_power_w_range: null,
    annual_consumption_kwh: null,
    annual_consumption_with_ev_kwh: null,
    groups: [],
  });
  expect([density, warnings]).toEqual([null, []]);
});

test('a range beyond the bounds and households without a group are warned of', () => {
  const { warnings } = resolved({
    pv_rating_kw_range: { min: 50, max: 150 },
    groups: [{ name: 'a', percentage: 50 }],
  });
  expect(warnings.map(({ code, pointer }) => [code, pointer])).toEqual([
    ['range_clamped', '/pv_rating_kw_range'],
    ['implicit_group', '/groups'],
  ]);
});

test('null and absent, default and explicit, upper and lower case ids are one canonical definition', () => {
  const bare = canonicalDefinitionJson(resolved().definition);
  const spelt = {
    request_id: REQUEST_ID.toUpperCase(),
    seed: 42,
    latitude: null,
    longitude: null,
    groups: [],
    count: 10,
  };
  expect(canonicalDefinitionJson(resolved(spelt).definition)).toBe(bare);
  expect(canonicalDefinitionJson(resolved({ seed: 43 }).definition)).not.toBe(bare);
});

test('the resolved household count takes part in the comparison', () => {
  const groups = [{ name: 'a', count: 12 }];
  const summed = canonicalDefinitionJson(resolved({ groups }).definition);
  expect(canonicalDefinitionJson(resolved({ groups, count: 12 }).definition)).toBe(summed);
  expect(canonicalDefinitionJson(resolved({ groups, count: 13 }).definition)).not.toBe(summed);
});

test('a density counts by its cells, not by its encoding', () => {
  const density = {
    country: 'AT',
    dataset_version: '1',
    boundary_version: 'x',
    grid: { origin_lat: 48, origin_lon: 14, cell_deg: 0.5, rows: 1, cols: 2 },
  };
  const texts = ['AQI=', 'AQI'].map((weights) =>
    canonicalDefinitionJson(resolved({ density: { ...density, weights } }).definition),
  );
  expect(texts[0]).toBe(texts[1]);
  expect(texts[0]).not.toBe(
    canonicalDefinitionJson(resolved({ density: { ...density, weights: 'AQM=' } }).definition),
  );
});

test('the history ends at the cutoff or the creation, on a quarter hour', () => {
  expect(computeHistoryWindow({ history_cutoff: null, history_days: 2 }, NOW)).toEqual({
    from: new Date('2026-11-19T10:00:00Z'),
    to: new Date('2026-11-21T10:00:00Z'),
  });
  const { definition } = resolved({ history_cutoff: '2026-03-01T00:14:59+01:00' });
  expect(computeHistoryWindow(definition, NOW)).toEqual({
    from: new Date('2026-02-28T23:00:00Z'),
    to: new Date('2026-02-28T23:00:00Z'),
  });
});

test("the limit of households is the caller's", () => {
  const body = { request_id: REQUEST_ID, groups: [{ name: 'a', count: 30 }] };
  expect(resolveDefinition(body, NOW, { maxHouseholds: 29 }).ok).toBe(false);
  expect(resolveDefinition(body, NOW, { maxHouseholds: 30 }).ok).toBe(true);
});
