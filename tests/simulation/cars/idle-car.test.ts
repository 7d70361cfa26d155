/** A car that nobody drives: its charge never changes, so that no past is ever forgotten. */
import { expect, test } from 'vitest';
import { UNCONTROLLED } from '../../../src/simulation/control/household-control.ts';
import { createHouseholdModel } from '../../../src/simulation/model/model.ts';
import { countCalls } from '../../support/call-counts.ts';
import { toldFromStart } from '../controlled.ts';
import { first, households } from '../fleet.ts';
import { RESTLESS } from '../steered.ts';

const ANCHOR_DAY = 20_000;
const IDLE = first(
  households(
    {
      count: 1,
      ev_ownership_fraction: 1,
      annual_consumption_kwh: 3000,
      annual_consumption_with_ev_kwh: 3000,
    },
    new Date(ANCHOR_DAY * 86_400_000),
  ),
);
const DAY = ANCHOR_DAY + 500;
const INITIAL =
  (IDLE.electric_vehicle?.battery_kwh ?? 0) * (IDLE.electric_vehicle?.initial_soc_percent ?? 0) * 1e4;

test.each([
  ['keeps its habits', UNCONTROLLED, 'devices/vehicle.ts', 'vehicleBatteryTransition'],
  [
    'is told something',
    toldFromStart({ vehicle: { charge_policy: 'smart' } }),
    'cars/charging-day.ts',
    'storedAfterDay',
  ],
] as const)(
  'an idle car that %s has what it had at first, and no day before is looked at',
  async (_, control, file, name) => {
    expect(IDLE.ev_annual_kwh).toBe(0);
    const model = createHouseholdModel({ ...IDLE, heat_pump: null }, { ...RESTLESS, control });
    const quarter = DAY * 96 + 40;
    const calls = await countCalls(file, () => Promise.resolve(model.chargeOutlookAt(quarter)));
    expect(calls.get(name) ?? 0).toBeLessThanOrEqual(1);
    const walked = await countCalls(file, () => Promise.resolve(model.day(DAY)));
    expect(walked.get(name) ?? 0).toBeLessThanOrEqual(1);
    expect([...new Set(model.day(DAY).vehicleStored)]).toEqual([INITIAL]);
    expect(new Set(model.day(ANCHOR_DAY).vehicleStored)).toEqual(new Set([INITIAL]));
  },
);
