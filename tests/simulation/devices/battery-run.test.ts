import { expect, test } from 'vitest';
import { QUARTER_HOURS_PER_DAY } from '../../../src/domain/api/durations.ts';
import { UNCONTROLLED } from '../../../src/simulation/control/household-control.ts';
import { DEFAULT_INVERTER_PREFERENCES } from '../../../src/simulation/control/preferences.ts';
import { batteryLimitsOf } from '../../../src/simulation/devices/battery.ts';
import { createBatteryRun } from '../../../src/simulation/devices/battery-run.ts';
import { RESTLESS } from '../steered.ts';

const FIRST_DAY = 20_000;
const LIMITS = batteryLimitsOf({
  capacity_kwh: 100,
  initial_soc_percent: 50,
  max_charge_power_w: 500,
  max_discharge_power_w: 500,
  efficiency: 0.95,
});

/** Charged and discharged too slowly to be full or empty for weeks, so that plans look far back. */
const BY_PRICE = { ...DEFAULT_INVERTER_PREFERENCES, price_response: true };

test('the surplus that a battery by price is given is not computed again, and used however far its plan looks', () => {
  const askedFor: number[] = [];
  // As in a household, one array holds the row that was asked for last.
  const shared = new Int32Array(QUARTER_HOURS_PER_DAY);
  const rowOf = (day: number): Int32Array => {
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++)
      shared[i] = (i > 40 && i < 60 ? 1_000_000 : -80_000) + day * 7 + i;
    return shared;
  };
  const day = FIRST_DAY + 40;
  // Boosted from noon on, so that no later plan looks at the day again.
  const boosts = [{ first: day * QUARTER_HOURS_PER_DAY + 48, end: (day + 1) * QUARTER_HOURS_PER_DAY }];
  const inverter = { preferences: [{ from: 0, value: BY_PRICE }], boosts, unsteered: [] };
  const createRun = () =>
    createBatteryRun({
      timeZone: 'Europe/Vienna',
      limits: LIMITS,
      firstOf: (day) => (day >= FIRST_DAY ? 0 : QUARTER_HOURS_PER_DAY),
      surplusOn: (day) => {
        askedFor.push(day);
        return rowOf(day);
      },
      approach: () => true,
      expectedOn: rowOf,
      hasPanels: true,
      steering: { ...RESTLESS, control: { ...UNCONTROLLED, inverter } },
    });
  const rows = {
    charge: new Int32Array(QUARTER_HOURS_PER_DAY),
    discharge: new Int32Array(QUARTER_HOURS_PER_DAY),
    stored: new Int32Array(QUARTER_HOURS_PER_DAY + 1),
    grid: new Int32Array(QUARTER_HOURS_PER_DAY),
  };
  const run = createRun();
  run.write(day, LIMITS.initial, rowOf(day), rows);
  // The walk back from the first plan has taken the place in which this day's surplus was kept.
  expect(askedFor).toContain(day - 16);
  const balance = rows.grid.map((grid, i) => (rows.charge[i] ?? 0) - (rows.discharge[i] ?? 0) - grid);
  expect([...balance]).toEqual([...rowOf(day)]);
  askedFor.length = 0;
  run.write(day + 1, rows.stored[QUARTER_HOURS_PER_DAY] ?? 0, rowOf(day + 1), rows);
  expect(askedFor).not.toContain(day + 1);
});
