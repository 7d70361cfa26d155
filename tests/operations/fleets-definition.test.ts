import { createHash, randomUUID } from 'node:crypto';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { fleetApi } from '../fleets/fleet-api.ts';

const fleets = fleetApi();

const around = {
  country: 'AT',
  dataset_version: 'vienna-2026.1',
  boundary_version: 'natural-earth-4.1-50m',
  grid: { origin_lat: 48.4, origin_lon: 16.2, cell_deg: 0.2, rows: 2, cols: 3 },
};
const cells = Buffer.from([0, 40, 10, 60, 255, 0]);

test('groups are counted out by largest remainder, and the rest form a group named default', async () => {
  const groups = [
    { name: 'Half', percentage: 50, profile: 'couple_working' },
    { name: 'Third', percentage: 100 / 3, profile: 'mixed', weights: [0, 1, 0, 0, 0, 0, 0, 0, 0, 0] },
    { name: 'One', count: 1 },
  ];
  const body = { request_id: randomUUID(), count: 10, groups, ev_ownership_fraction: 0.4 };
  const preview = await fleets.api.call('previewFleet', { body });
  expect(preview.body.groups).toMatchObject([
    { name: 'Half', count: 5, archetype_counts: { couple_working: 5 }, electric_vehicle_count: 2 },
    { name: 'Third', count: 3, archetype_counts: { single_retired: 3 } },
    { name: 'One', count: 1 },
    { name: 'default', count: 1 },
  ]);
  expect(preview.body.warnings).toMatchObject([{ code: 'implicit_group', pointer: '/groups' }]);
  const fleet = await fleets.running(body);
  expect(fleet.definition.groups.map((group: { name: string }) => group.name)).toEqual([
    'Half',
    'Third',
    'One',
  ]);
  const places = await fleets.locations(fleet.job_id as string);
  const named = places.map((place) => place.group as string);
  expect(named.join(' ')).toBe('Half Half Half Half Half Third Third Third One default');
});

test('without a count the fleet is as large as its counted groups, and that takes part in the comparison', async () => {
  const groups = [
    { name: 'A', count: 3 },
    { name: 'B', count: 4 },
  ];
  const body = { request_id: randomUUID(), groups };
  const created = await fleets.create(body);
  expect(created.body.count).toBe(7);
  expect((await fleets.create({ ...body, count: 7 })).body).toEqual(created.body);
  expect((await fleets.create({ ...body, count: 8 })).status).toBe(422);
});

test('a density places households on its cells, packed or not, and its weights are kept as a fingerprint', async () => {
  const plain = { ...around, weights: cells.toString('base64') };
  const fleet = await fleets.running({ count: 40, density: plain });
  expect(fleet.definition.density).toEqual({
    ...around,
    weights_sha256: createHash('sha256').update(cells).digest('hex'),
  });
  const places = await fleets.locations(fleet.job_id as string);
  expect(places).toHaveLength(40);
  for (const place of places) {
    const row = Math.floor((48.4 - (place.latitude as number)) / 0.2);
    const col = Math.floor(((place.longitude as number) - 16.2) / 0.2);
    expect(cells[row * 3 + col]).toBeGreaterThan(0);
    expect(place.source).toBe('density');
  }
  const request_id = fleet.request_id as string;
  for (const weights of [gzipSync(cells), deflateRawSync(cells)]) {
    const density = { ...around, weights: weights.toString('base64') };
    const again = await fleets.create({ request_id, count: 40, density });
    expect(again.body.job_id).toBe(fleet.job_id);
  }
});

test('creation makes what preview showed, household by household', async () => {
  const body = {
    request_id: randomUUID(),
    count: 20,
    seed: 9007199254740991,
    density: { ...around, weights: cells.toString('base64') },
    ev_ownership_fraction: 0.5,
    pv_rating_kw_range: { min: 3, max: 12 },
    initial_soc_percent: 60,
  };
  const { body: preview } = await fleets.api.call('previewFleet', { body });
  const fleet = await fleets.running(body);
  expect(fleet).toMatchObject({
    job_id: preview.job_id,
    definition: preview.definition,
    device_counts: preview.device_counts,
    history: preview.history,
  });
  const devices = await fleets.devices(fleet.job_id as string);
  const places = await fleets.locations(fleet.job_id as string);
  for (const household of preview.households) {
    const place = places[household.index as number];
    expect(place).toMatchObject({
      user_id: household.user_id,
      group: household.group,
      latitude: household.latitude,
      longitude: household.longitude,
      source: household.source,
    });
    const own = devices.filter((device) => device.household_index === household.index);
    expect(own.map(({ device_id, device_type }) => ({ device_id, device_type }))).toEqual(household.devices);
    expect(own.find((device) => device.device_type === 'inverter')).toMatchObject({
      profile: household.profile,
      pv_rating_kw: household.pv_rating_kw,
      battery_capacity_kwh: household.battery_capacity_kwh,
      max_charge_power_w: household.max_charge_power_w,
      state: { soc_percent: 60 },
    });
  }
});

test('a preview stores nothing and leaves the request_id free', async () => {
  const body = { request_id: randomUUID(), count: 30 };
  const preview = await fleets.api.call('previewFleet', { body });
  expect(preview.status).toBe(200);
  expect(preview.body.households).toHaveLength(20);
  expect(preview.body.average_day).toHaveLength(96);
  const missing = await fleets.api.call('getFleet', { path: { job_id: preview.body.job_id as string } });
  expect(missing.status).toBe(404);
  expect((await fleets.create({ ...body, count: 31 })).body.job_id).toBe(preview.body.job_id);
});

test('history opens before the cutoff, cut down to the quarter hour', async () => {
  const created = await fleets.create({ history_days: 7, history_cutoff: '2026-06-01T10:07:00+02:00' });
  expect(created.body.history).toEqual({
    from: '2026-05-25T08:00:00.000Z',
    to: '2026-06-01T08:00:00.000Z',
  });
  expect(created.body.definition.history_cutoff).toBe('2026-06-01T08:07:00.000Z');
});

test('the configuration tells limits, profiles in the order of weights, countries and whether faults arise', async () => {
  const { status, body } = await fleets.api.call('getFleetConfig');
  expect(status).toBe(200);
  expect(body).toMatchObject({ limits: { count_max: 1000, households_max: 10_000 }, faults_enabled: false });
  expect(body.profiles).toHaveLength(10);
  expect(body.countries).toContainEqual(expect.objectContaining({ country: 'AT', name: 'Austria' }));
});

test('a definition that breaks fifteen rules of the document is told all of them, and nothing is created', async () => {
  const before = (await fleets.api.call('listFleets')).body;
  const body = {
    name: ' ',
    count: 1001,
    seed: -1,
    history_days: 91,
    history_cutoff: 'yesterday',
    latitude: 91,
    longitude: '8',
    max_discharge_power_w_range: { min: 9, max: 3 },
    ev_ownership_fraction: 1.5,
    pv_rating_kw_range: { min: 1.5 },
    initial_soc_percent: 4,
    max_charge_power_w: null,
    colour: 'red',
    groups: [
      { name: '', profile: 'castle', weights: [1, 2, 3] },
      { name: 'B', percentage: 101, variation_fraction: 0.6 },
    ],
  };
  for (const operation of ['createFleet', 'previewFleet'] as const) {
    const { status, body: problem } = await fleets.api.call(operation, { body });
    expect(status).toBe(422);
    const faults = (problem.errors as { pointer: string; code: string }[]).map(
      ({ pointer, code }) => `${pointer} ${code}`,
    );
    expect(new Set(faults)).toEqual(
      new Set([
        '/request_id required',
        '/name pattern',
        '/count maximum',
        '/seed minimum',
        '/history_days maximum',
        '/history_cutoff format',
        '/latitude maximum',
        '/longitude type',
        '/ev_ownership_fraction maximum',
        '/max_discharge_power_w_range range_order',
        '/pv_rating_kw_range/max required',
        '/pv_rating_kw_range/min type',
        '/initial_soc_percent minimum',
        '/colour unknown_property',
        '/groups/0/name min_length',
        '/groups/0/name pattern',
        '/groups/0/profile enum',
        '/groups/0/weights min_items',
        '/groups/1/percentage maximum',
        '/groups/1/variation_fraction maximum',
      ]),
    );
  }
  expect((await fleets.api.call('listFleets')).body).toEqual(before);
});

test('a definition that breaks rules between fields is told all of them', async () => {
  const { status, body } = await fleets.create({
    count: 5,
    latitude: 48,
    history_cutoff: '2030-01-01',
    pv_rating_kw_range: { min: 9, max: 3 },
    annual_consumption_kwh: 4000,
    annual_consumption_with_ev_kwh: 3000,
    groups: [
      { name: 'A', count: 4, percentage: 10 },
      { name: 'B', count: 4, profile: 'home_office', weights: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1] },
      { name: 'C', weights: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0] },
    ],
    density: { ...around, weights: 'AAAA' },
  });
  expect(status).toBe(422);
  const faults = (body.errors as { pointer: string; code: string }[]).map(({ pointer, code }) => [
    pointer,
    code,
  ]);
  expect(faults).toEqual(
    expect.arrayContaining([
      ['/longitude', 'coordinates_incomplete'],
      ['/history_cutoff', 'instant_in_future'],
      ['/pv_rating_kw_range', 'range_order'],
      ['/annual_consumption_with_ev_kwh', 'consumption_order'],
      ['/groups/0', 'count_and_percentage'],
      ['/groups/1/weights', 'weights_with_profile'],
      ['/groups/2/weights', 'weights_sum_zero'],
      ['/groups', 'groups_exceed_count'],
      ['/density/weights', 'density_size'],
    ]),
  );
});
