import { expect, test } from 'vitest';
import { fleetApi } from '../fleets/fleet-api.ts';

const fleets = fleetApi();

const types = ['electric_vehicle', 'heat_pump', 'inverter', 'wallbox'];

test('devices are listed 50 a page by household, then type, with the total and links to other pages', async () => {
  const groups = [{ name: 'A & B', percentage: 50 }, { name: 'C' }];
  const fleet = await fleets.running({ count: 30, ev_ownership_fraction: 1, groups });
  const path = { job_id: fleet.job_id as string };
  const total = Object.values(fleet.device_counts as Record<string, number>).reduce((a, b) => a + b, 0);
  expect(total).toBeGreaterThan(90);
  const first = await fleets.api.call('listFleetDevices', { path });
  expect(first.body).toMatchObject({ total, page: 1, page_size: 50 });
  expect(first.body.items).toHaveLength(50);
  const address = `${fleets.api.baseUrl}/api/partners/v2.0/org/${fleets.api.own.orgId}/device-simulator/fleets/${path.job_id}/devices`;
  const last = Math.ceil(total / 50);
  expect(first.headers.link).toBe(
    `<${address}?page=1>; rel="first", <${address}?page=2>; rel="next", <${address}?page=${last}>; rel="last"`,
  );
  const all = await fleets.devices(path.job_id);
  const keys = all.map((device) => [device.household_index, types.indexOf(device.device_type as string)]);
  expect(keys).toEqual([...keys].sort(([a, b], [c, d]) => a - c || b - d));
  expect(new Set(all.map((device) => device.device_id)).size).toBe(total);

  const query = { group: 'A & B', device_type: 'wallbox' };
  const filtered = await fleets.api.call('listFleetDevices', { path, query });
  expect(filtered.body.items).toEqual(
    all.filter((device) => device.group === 'A & B' && device.device_type === 'wallbox'),
  );
  expect(filtered.body.total).toBe(15);
  expect(filtered.headers.link).toContain('?group=A%20%26%20B&device_type=wallbox&page=1>; rel="first"');
  for (const nothing of [{ group: 'default' }, { device_type: 'toaster' }, { page: 1_000 }]) {
    const empty = await fleets.api.call('listFleetDevices', { path, query: nothing });
    expect([empty.status, empty.body.items]).toEqual([200, []]);
  }
});

test('faulty filters are refused together', async () => {
  const { body } = await fleets.create();
  const { status, body: problem } = await fleets.api.call('listFleetDevices', {
    path: { job_id: body.job_id as string },
    query: { page: 0, group: 'x'.repeat(129), device_type: 'x'.repeat(33), colour: 'red' },
  });
  expect(status).toBe(422);
  const faults = (problem.errors as { parameter: string; in: string }[]).map((each) => each.parameter);
  expect(faults.sort()).toEqual(['colour', 'device_type', 'group', 'page']);
});

test("a deleted user's devices are neither listed nor counted, as nothing reaches them; the place stays", async () => {
  const fleet = await fleets.running({ count: 3, ev_ownership_fraction: 1, groups: [{ name: 'A' }] });
  const jobId = fleet.job_id as string;
  const before = await fleets.devices(jobId);
  const gone = before.filter((device) => device.household_index === 1);
  const path = { org_id: fleet.simulation_org_id as string, user_id: gone[0].user_id as string };
  expect((await fleets.api.call('deleteUser', { path })).status).toBe(204);
  const left = before.filter((device) => device.household_index !== 1);
  expect(await fleets.devices(jobId)).toEqual(left);
  const grouped = await fleets.api.call('listFleetDevices', {
    path: { job_id: jobId },
    query: { group: 'A' },
  });
  expect([grouped.body.total, grouped.body.items.length]).toEqual([left.length, left.length]);
  expect(await fleets.get(jobId)).toMatchObject({ device_counts: { inverter: 2, wallbox: 2 } });
  expect((await fleets.api.call('listFleets')).body).toContainEqual(await fleets.get(jobId));
  for (const { device_id } of gone) {
    const event = {
      path: { job_id: jobId, device_id: device_id as string },
      body: { code: 'device_offline' },
    };
    expect((await fleets.api.call('triggerDeviceEvent', event)).status).toBe(404);
  }
  expect(await fleets.locations(jobId)).toHaveLength(3);
});

test('a device is offline while its outage lasts', async () => {
  const { job_id: jobId } = await fleets.running({ count: 2 });
  const [device, other] = await fleets.devices(jobId as string);
  expect(device.online).toBe(true);
  const event = (code: string) =>
    fleets.api.call('triggerDeviceEvent', {
      path: { job_id: jobId as string, device_id: device.device_id as string },
      body: { code },
    });
  await event('device_offline');
  const during = await fleets.devices(jobId as string);
  const control = { mode: 'interrupted', reason: 'device_offline' };
  expect(during[0]).toEqual({ ...device, online: false, state: { ...device.state, control } });
  expect(during[1]).toEqual(other);
  await event('reconnect');
  const back = (await fleets.devices(jobId as string))[0];
  // It is steered again from the next quarter hour on.
  expect([back.online, back.as_of]).toEqual([true, device.as_of]);
});

test('what the devices of a household draw and give adds up, and moves with time', async () => {
  const { job_id: jobId } = await fleets.running({ count: 12, ev_ownership_fraction: 0.5, history_days: 2 });
  const seen: unknown[] = [];
  for (const hours of [0, 5, 6]) {
    fleets.api.clock.advance(hours * 3_600_000);
    const devices = await fleets.devices(jobId as string);
    for (let index = 0; index < 12; index++) {
      const own = devices.filter((device) => device.household_index === index);
      const state = (type: string) => own.find((device) => device.device_type === type)?.state;
      const { pv_power_w, load_power_w, battery_power_w, grid_power_w } = state('inverter');
      const vehicle = (state('electric_vehicle')?.charge_power_w as number | undefined) ?? 0;
      const heat = (state('heat_pump')?.power_w as number | undefined) ?? 0;
      expect(grid_power_w as number).toBe(
        (load_power_w as number) + vehicle + heat + (battery_power_w as number) - (pv_power_w as number),
      );
    }
    seen.push(devices.map((device) => device.state as unknown));
  }
  expect(new Set(seen.map((states) => JSON.stringify(states))).size).toBe(3);
});

test('a heat pump follows the prices of the partner, and only those known when a quarter began', async () => {
  const { job_id: jobId } = await fleets.running({ count: 30, latitude: -54.8, longitude: -68.3 });
  const states = async () =>
    (await fleets.devices(jobId as string))
      .filter((device) => device.device_type === 'heat_pump')
      .map((device) => device.state.schedule_state as string);
  fleets.api.clock.advance(60_000);
  const start = fleets.api.clock.now();
  const before = await states();
  expect(before.length).toBeGreaterThan(2);
  const hour = (offset: number) =>
    new Date(Math.ceil(start.getTime() / 3_600_000 + offset) * 3_600_000).toISOString();
  const data = Array.from({ length: 24 }, (_, i) => ({
    timestamp: hour(i),
    price: i === 2 ? -500 : 100 + i,
  }));
  expect((await fleets.api.call('uploadDayAheadPrices', { body: { data } })).body.state).toBe('success');
  expect(await states()).toEqual(before);
  fleets.api.clock.set(hour(2));
  expect(await states()).toContain('max');
});

test('locations come by index; a household without a place of its own reports the pair of the fleet', async () => {
  const fleet = await fleets.running({ count: 3, latitude: 48.2082, longitude: 16.3738 });
  const jobId = fleet.job_id as string;
  const places = await fleets.locations(jobId);
  expect(places.map((place) => place.index)).toEqual([0, 1, 2]);
  expect(places[0]).toMatchObject({
    group: 'default',
    latitude: 48.2082,
    longitude: 16.3738,
    source: 'fixed',
  });
  await fleets.api.db
    .updateTable('households')
    .set({ latitude: 47, longitude: 15, location_source: 'density' })
    .where('org_id', '=', fleet.simulation_org_id as string)
    .where('household_index', '=', 0)
    .execute();
  await fleets.api.db
    .updateTable('households')
    .set({ latitude: null, longitude: null, location_source: null })
    .where('org_id', '=', fleet.simulation_org_id as string)
    .where('household_index', '=', 1)
    .execute();
  const after = await fleets.locations(jobId);
  expect(after[0]).toMatchObject({ latitude: 47, longitude: 15, source: 'density' });
  expect(after[1]).toEqual(places[1]);

  const inverter = (await fleets.devices(jobId)).find((device) => device.household_index === 1);
  const where = await fleets.api.call('getInverterSimulatorLocation', {
    path: {
      org_id: fleet.simulation_org_id as string,
      user_id: inverter.user_id as string,
      inverter_id: inverter.device_id as string,
    },
  });
  expect(where.status).toBe(200);
  expect(where.body).toEqual({
    user_id: inverter.user_id,
    inverter_id: inverter.device_id,
    job_id: jobId,
    latitude: 48.2082,
    longitude: 16.3738,
    country: 'AT',
    time_zone: 'Europe/Vienna',
    source: 'fixed',
  });
});

test('without coordinates households stand at the default place', async () => {
  const fleet = await fleets.running({ count: 1 });
  const [place] = await fleets.locations(fleet.job_id as string);
  expect(place).toMatchObject({ latitude: 50.11, longitude: 8.68, source: 'default' });
});

test('the place of an inverter is told only under its own user and organization, and of no other device', async () => {
  const fleet = await fleets.running({ count: 2, ev_ownership_fraction: 1 });
  const devices = await fleets.devices(fleet.job_id as string);
  const inverters = devices.filter((device) => device.device_type === 'inverter');
  const wallbox = devices.find((device) => device.device_type === 'wallbox');
  const orgId = fleet.simulation_org_id as string;
  const call = (org_id: string, user_id: string, inverter_id: string, query: Record<string, string> = {}) =>
    fleets.api.call('getInverterSimulatorLocation', { path: { org_id, user_id, inverter_id }, query });
  const pairs = inverters.map((device) => [device.user_id as string, device.device_id as string] as const);
  const [first = ['', ''], second = ['', '']] = pairs;
  expect((await call(orgId, first[0], first[1])).status).toBe(200);
  expect((await call(orgId, second[0], first[1])).status).toBe(404);
  expect((await call(orgId, wallbox.user_id as string, wallbox.device_id as string)).status).toBe(404);
  expect((await call(fleets.api.own.orgId, first[0], first[1])).status).toBe(404);
  expect((await call(orgId, first[0], first[1], { colour: 'red' })).status).toBe(422);
  expect((await call(orgId, second[0], first[1], { colour: 'red' })).status).toBe(404);
  expect((await call(orgId, first[0], 'x')).status).toBe(422);
});
