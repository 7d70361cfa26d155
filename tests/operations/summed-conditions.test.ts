// What is in the sums of a fleet and of a household while devices are not read, and afterwards.
import { beforeAll, expect, test } from 'vitest';
import { fleetApi } from '../fleets/fleet-api.ts';
import type { Answer } from '../support/api-client.ts';

type Entry = Readonly<Record<string, number | null>> & {
  readonly smallest_user_id: string;
  readonly largest_user_id: string;
};

const NOON = '2026-01-15T12:00:00.000Z';
const fleets = fleetApi({ now: new Date(NOON) });
let jobId: string;
let orgId: string;
let devices: Answer['body'][];

beforeAll(async () => {
  const fleet = await fleets.running({ count: 4, ev_ownership_fraction: 1, history_days: 3, seed: 7 });
  jobId = fleet.job_id as string;
  orgId = fleet.simulation_org_id as string;
  devices = await fleets.devices(jobId);
});

const query = { from: '2026-01-15T11:00:00Z', to: '2026-01-15T14:00:00Z', resolution: '1HOUR' };
const ofFleet = async (): Promise<Entry[]> =>
  (await fleets.api.call('getFleetData', { path: { job_id: jobId }, query })).body.data as Entry[];
const ofUser = async (userId: string): Promise<Entry[]> => {
  const path = { org_id: orgId, user_id: userId };
  return (await fleets.api.call('getHouseholdData', { path, query })).body.data as Entry[];
};
async function raise(device: Answer['body'], code: string): Promise<void> {
  const path = { job_id: jobId, device_id: device.device_id as string };
  expect((await fleets.api.call('triggerDeviceEvent', { path, body: { code } })).status).toBe(200);
}
const ofInverter = ['load', 'pv', 'battery', 'grid'].map((name) => `${name}_power_w`);

test('a device that is offline is in no sum until it has reconnected, and then all that it did', async () => {
  const [inverter] = devices.filter(({ device_type }) => device_type === 'inverter');
  const userId = inverter.user_id as string;
  await raise(inverter, 'device_offline');
  fleets.api.clock.set('2026-01-15T14:07:00Z');
  const [fleet, own] = [await ofFleet(), await ofUser(userId)];
  expect(fleet.map((entry) => entry['devices_reporting'])).toEqual([
    devices.length,
    devices.length - 1,
    devices.length - 1,
  ]);
  for (const name of ofInverter) {
    expect(own.map((entry) => entry[name] === null)).toEqual([false, true, true]);
    expect(fleet.every((entry) => entry[name] !== null)).toBe(true);
  }
  expect(own.every((entry) => entry['heat_pump_power_w'] !== null && entry['vehicle_power_w'] !== null)).toBe(
    true,
  );
  for (const { smallest_user_id, largest_user_id } of fleet.slice(1))
    expect([smallest_user_id, largest_user_id]).not.toContain(userId);

  await raise(inverter, 'reconnect');
  const [filled, back] = [await ofFleet(), await ofUser(userId)];
  expect(back.every((entry) => ofInverter.every((name) => entry[name] !== null))).toBe(true);
  for (const [at, entry] of filled.entries()) {
    expect(entry['devices_reporting']).toBe(devices.length);
    const missing = at === 0 ? 0 : (back[at]?.['load_energy_kwh'] ?? NaN);
    expect(entry['load_energy_kwh']).toBeCloseTo((fleet[at]?.['load_energy_kwh'] ?? NaN) + missing, 6);
  }
});

test('the charging of a car that is not read is known from its wallbox, what is stored in it is not', async () => {
  const [car] = devices.filter(({ device_type }) => device_type === 'electric_vehicle');
  fleets.api.clock.set('2026-01-15T14:07:00Z');
  const before = await ofUser(car.user_id as string);
  fleets.api.clock.set('2026-01-15T14:30:00Z');
  await raise(car, 'reauthenticate');
  fleets.api.clock.set('2026-01-15T16:07:00Z');
  const path = { org_id: orgId, user_id: car.user_id as string };
  const later = { from: '2026-01-15T13:00:00Z', to: '2026-01-15T16:00:00Z', resolution: '1HOUR' };
  const { body } = await fleets.api.call('getHouseholdData', { path, query: later });
  const entries = body.data as Entry[];
  expect(entries[0]).toEqual(before[2]);
  expect(entries.map((entry) => entry['vehicle_stored_kwh'] === null)).toEqual([false, true, true]);
  expect(entries.every((entry) => entry['vehicle_power_w'] !== null)).toBe(true);
  const own = devices.filter(({ user_id }) => user_id === car.user_id).length;
  expect(entries.map((entry) => entry['devices_reporting'])).toEqual([own, own - 1, own - 1]);
});
