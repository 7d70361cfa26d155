// The table of docs/simulation.md, executed: while a condition holds nobody steers the device, and what has been stays as it was.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { endCondition } from '../../src/conditions/end-condition.ts';
import { HOUR_MS } from '../../src/domain/api/durations.ts';
import type { ConditionCode } from '../../src/domain/notifications/conditions.ts';
import { fleetApi } from '../fleets/fleet-api.ts';
import { root, tableRows } from '../readme/document.ts';

const page = readFileSync(join(root, 'docs/simulation.md'), 'utf8');
const table = tableRows(page, 'Conditions').map(([code = '', , isSteered, , , afterwards]) => {
  return [code.replaceAll('`', '') as ConditionCode, isSteered, afterwards] as const;
});

const START = '2026-01-15T00:00:00Z';
const BEGIN = '2026-01-16T12:02:00Z';
const END = '2026-01-17T12:02:00Z';
const fleets = fleetApi({ now: new Date(START) });
let jobId: string;
let path: { readonly org_id: string; readonly user_id: string; readonly inverter_id: string };

/** A battery that is charged from the grid in cheap hours: four of each eight, also at night. */
beforeEach(async () => {
  const { api } = fleets;
  api.clock.set(START);
  const data = Array.from({ length: 96 }, (_, hour) => ({
    timestamp: new Date(Date.parse(START) + hour * HOUR_MS).toISOString(),
    price: hour % 8 < 4 ? 20 : 400,
  }));
  await api.call('uploadDayAheadPrices', { body: { data } });
  const fleet = await fleets.running({ count: 1, seed: 11 });
  jobId = fleet.job_id as string;
  const inverter = (await fleets.devices(jobId)).find((device) => device.device_type === 'inverter');
  const [org_id, user_id] = [inverter.org_id as string, inverter.user_id as string];
  path = { org_id, user_id, inverter_id: inverter.device_id as string };
  const body = { price_response: true, grid_charging: true };
  expect((await api.call('updateInverterPreferences', { path, body })).status).toBe(200);
});

interface Entry {
  readonly time: string;
  readonly pv_power_w: number | null;
  readonly battery_power_w: number | null;
}

async function data(from: string, to: string): Promise<Entry[]> {
  return (await fleets.api.call('getInverterData', { path, query: { from, to } })).body.data as Entry[];
}

/** Quarter hours in which the battery is charged though the sun does not shine; of what it does by itself there are none. */
const countFromGrid = (entries: readonly Entry[]): number =>
  entries.filter(({ pv_power_w, battery_power_w }) => pv_power_w === 0 && (battery_power_w ?? 0) > 0).length;

async function control(): Promise<unknown> {
  return (await fleets.api.call('getUserInverter', { path })).body.state.control;
}

describe.each(table)('%s', (code, isSteered, afterwards) => {
  test(`steered while it holds: ${isSteered}`, async () => {
    const { api } = fleets;
    api.clock.set(BEGIN);
    const before = await data(START, '2026-01-16T12:00:00Z');
    expect(countFromGrid(before)).toBeGreaterThan(0);
    const device = { job_id: jobId, device_id: path.inverter_id };
    await api.call('triggerDeviceEvent', { path: device, body: { code } });
    expect(await control()).toEqual({ mode: 'interrupted', reason: code });

    api.clock.set(END);
    const event = { orgId: path.org_id, deviceId: path.inverter_id, code, now: api.clock.now() };
    await api.db.transaction().execute((tx) => endCondition(tx, event));
    expect(await control()).toEqual({ mode: 'interrupted', reason: 'not_steered' });
    api.clock.set('2026-01-18T12:02:00Z');
    expect(await control()).toEqual({ mode: 'schedule', reason: 'cheapest_quarters' });

    expect(await data(START, '2026-01-16T12:00:00Z')).toEqual(before);
    const during = await data('2026-01-16T12:15:00Z', '2026-01-17T12:15:00Z');
    const isKnown = afterwards === 'values';
    expect(during.every(({ battery_power_w }) => (battery_power_w !== null) === isKnown)).toBe(true);
    expect(countFromGrid(during) === 0).toBe(isSteered === 'no');
    expect(countFromGrid(await data('2026-01-17T12:15:00Z', '2026-01-18T12:00:00Z'))).toBeGreaterThan(0);
  });
});
