/** What a battery is asked for, looked up among as many changes as may be kept. */
import { expect, test } from 'vitest';
import { UNCONTROLLED } from '../../../src/simulation/control/household-control.ts';
import { DEFAULT_INVERTER_PREFERENCES } from '../../../src/simulation/control/preferences.ts';
import { BatterySettingsLookup } from '../../../src/simulation/devices/battery-settings.ts';
import { countAllCalls } from '../../support/call-counts.ts';

const CHANGES = 4_000;
const CAPACITY = 10_000_000;

test('a look takes a few steps among thousands of changes, whichever comes first', async () => {
  const preferences = Array.from({ length: CHANGES }, (_, i) => ({
    from: i,
    value: { ...DEFAULT_INVERTER_PREFERENCES, reserve_percent: 5 + (i % 2) },
  }));
  const inverter = { preferences, boosts: [], unsteered: [] };
  const settings = new BatterySettingsLookup({ ...UNCONTROLLED, inverter }, CAPACITY);
  const quarters = Array.from({ length: CHANGES }, (_, i) => (i % 2 === 0 ? i : CHANGES - i));
  const reserves: number[] = [];
  const calls = await countAllCalls('/devices/battery-settings.ts', () => {
    for (const quarter of quarters) reserves.push(settings.at(quarter).reserve);
    return Promise.resolve();
  });
  expect(reserves).toEqual(quarters.map((quarter) => (quarter % 2 === 0 ? 500_000 : 600_000)));
  expect(calls).toBeGreaterThan(CHANGES);
  expect(calls).toBeLessThan(25 * CHANGES);
});
