import { describe, expect, test } from 'vitest';
import { UNCONTROLLED } from '../../../src/simulation/control/household-control.ts';
import {
  DEFAULT_HEAT_PUMP_PREFERENCES,
  DEFAULT_INVERTER_PREFERENCES,
  DEFAULT_VEHICLE_PREFERENCES,
  PREFERENCE_BOUNDS,
  WEEKDAYS,
} from '../../../src/simulation/control/preferences.ts';
import { OPEN_END, isWithin, valueInForce } from '../../../src/simulation/control/revisions.ts';

describe('a revision', () => {
  const revisions = [
    { from: 10, value: 'b' },
    { from: 20, value: 'c' },
  ];

  test('holds from its quarter hour up to the next', () => {
    expect([9, 10, 19, 20, 99].map((quarter) => valueInForce(revisions, quarter, 'a'))).toEqual([
      'a',
      'b',
      'b',
      'c',
      'c',
    ]);
  });

  test('spans hold their first quarter hour and not their end', () => {
    const spans = [
      { first: 3, end: 5 },
      { first: 8, end: OPEN_END },
    ];
    expect([2, 3, 4, 5, 7, 8, 1e9].map((quarter) => isWithin(spans, quarter))).toEqual([
      false,
      true,
      true,
      false,
      false,
      true,
      true,
    ]);
  });
});

test('every default keeps the bounds of its preference', () => {
  const defaults: Readonly<Record<string, unknown>> = {
    ...DEFAULT_VEHICLE_PREFERENCES,
    ...DEFAULT_HEAT_PUMP_PREFERENCES,
    ...DEFAULT_INVERTER_PREFERENCES,
  };
  for (const [name, { min, max }] of Object.entries(PREFERENCE_BOUNDS)) {
    const value = defaults[name];
    if (value === null) continue;
    expect(value).toBeGreaterThanOrEqual(min);
    expect(value).toBeLessThanOrEqual(max);
  }
  expect(Object.keys(DEFAULT_VEHICLE_PREFERENCES.ready_by)).toEqual([...WEEKDAYS]);
});

test('what is asked of a household can be copied to another thread', () => {
  expect(structuredClone(UNCONTROLLED)).toEqual(UNCONTROLLED);
});
