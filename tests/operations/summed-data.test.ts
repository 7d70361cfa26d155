// What a fleet, a group and a household did: sums of what their devices tell, in JSON, CSV and Parquet.
import { parquetReadObjects } from 'hyparquet';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AddressInfo } from 'node:net';
import { fleetApi } from '../fleets/fleet-api.ts';
import type { Answer, Call } from '../support/api-client.ts';
import { refusal } from './refusal.ts';

type Entry = Readonly<Record<string, number>> & {
  readonly time: string;
  readonly smallest_user_id: string | null;
  readonly largest_user_id: string | null;
};

const NOON = '2026-01-15T12:00:00.000Z';
const DAY = { from: '2026-01-14T00:00:00Z', to: '2026-01-15T00:00:00Z' };
const ENERGIES = [
  'load_energy_kwh',
  'pv_energy_kwh',
  'vehicle_energy_kwh',
  'heat_pump_energy_kwh',
  'heat_energy_kwh',
  'battery_charge_kwh',
  'battery_discharge_kwh',
  'grid_import_kwh',
  'grid_export_kwh',
] as const;
const STORED = ['battery_stored_kwh', 'vehicle_stored_kwh', 'devices_reporting'] as const;

const fleets = fleetApi({ now: new Date(NOON) });
let jobId: string;
let orgId: string;
/** By their groups. */
let users: { readonly user_id: string; readonly group: string }[];
let devices: Answer['body'][];

beforeAll(async () => {
  const groups = [{ name: 'near', count: 5 }, { name: 'far' }];
  const fleet = await fleets.running({
    count: 12,
    ev_ownership_fraction: 0.6,
    history_days: 30,
    seed: 7,
    groups,
  });
  jobId = fleet.job_id as string;
  orgId = fleet.simulation_org_id as string;
  users = (await fleets.locations(jobId)) as typeof users;
  devices = await fleets.devices(jobId);
});

const ofFleet = (query: Record<string, string>, call: Call = {}): Promise<Answer> =>
  fleets.api.call('getFleetData', { path: { job_id: jobId }, query, ...call });
const ofUser = (userId: string, query: Record<string, string>, call: Call = {}): Promise<Answer> =>
  fleets.api.call('getHouseholdData', { path: { org_id: orgId, user_id: userId }, query, ...call });
const entriesOf = async (answer: Promise<Answer>): Promise<Entry[]> => {
  const { status, body } = await answer;
  expect(status).toBe(200);
  return body.data as Entry[];
};

/** Asks one after the other: a partner's questions at once wait for each other's turns, and not for long. */
async function inOrder<T>(items: readonly T[], ask: (item: T) => Promise<Answer>): Promise<Entry[][]> {
  const answers: Entry[][] = [];
  for (const item of items) answers.push(await entriesOf(ask(item)));
  return answers;
}

/** The bytes of an answer in a media type. */
async function download(path: string, accept: string): Promise<{ type: string | null; bytes: Uint8Array }> {
  const { port } = fleets.api.server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/api/partners/v2.0/org/${path}`, {
    headers: { accept, authorization: `Bearer ${fleets.api.own.admin.token}` },
  });
  expect(answer.status).toBe(200);
  return { type: answer.headers.get('content-type'), bytes: await answer.bytes() };
}

describe('a fleet', () => {
  test('has the sums of its households, and names those that drew least and most', async () => {
    const query = { ...DAY, resolution: '1HOUR' };
    const fleet = await entriesOf(ofFleet(query));
    const households = await inOrder(users, ({ user_id }) => ofUser(user_id, query));
    expect(fleet).toHaveLength(24);
    for (const [at, entry] of fleet.entries()) {
      const parts = households.map((each) => each[at] as Entry);
      for (const name of [...ENERGIES, ...STORED]) {
        expect(entry[name]).toBeCloseTo(
          parts.reduce((sum, part) => sum + (part[name] ?? 0), 0),
          6,
        );
      }
      const powers = parts.map((part) => part['grid_power_w'] ?? NaN);
      expect(Math.abs(powers.reduce((a, b) => a + b) - (entry['grid_power_w'] ?? NaN))).toBeLessThan(40);
      const powerOf = (id: string | null) => powers[users.findIndex(({ user_id }) => user_id === id)] ?? NaN;
      // Powers of one household are sums of rounded parts; ranked they are by their energies.
      expect(Math.abs(powerOf(entry.smallest_user_id) - Math.min(...powers))).toBeLessThan(6);
      expect(Math.abs(powerOf(entry.largest_user_id) - Math.max(...powers))).toBeLessThan(6);
      expect(entry['largest_grid_power_w']).toBeGreaterThanOrEqual(entry['smallest_grid_power_w'] ?? NaN);
      const heated = parts.flatMap((part) => part['indoor_temperature_c'] ?? []);
      const mean = heated.reduce((a, b) => a + b) / heated.length;
      expect(Math.abs((entry['indoor_temperature_c'] ?? NaN) - mean)).toBeLessThan(0.11);
    }
    expect(fleet[0]?.['devices_reporting']).toBe(devices.length);
  });

  test('has in its groups together what it has', async () => {
    const query = { ...DAY, resolution: '1DAY' };
    const [whole] = await entriesOf(ofFleet(query));
    const parts = await inOrder(['near', 'far'], (group) => ofFleet({ ...query, group }));
    for (const name of [...ENERGIES, ...STORED]) {
      expect(whole?.[name]).toBeCloseTo((parts[0]?.[0]?.[name] ?? 0) + (parts[1]?.[0]?.[name] ?? 0), 6);
    }
    const near = await ofFleet({ ...query, group: 'near' });
    expect(near.body.metadata).toEqual({
      job_id: jobId,
      group: 'near',
      households: 5,
      resolution: '1DAY',
      from: '2026-01-14T00:00:00.000Z',
      to: '2026-01-15T00:00:00.000Z',
    });
    const nobody = await ofFleet({ ...query, group: 'nobody' });
    expect(nobody.body).toMatchObject({ metadata: { households: 0, from: null, to: null }, data: [] });
  });

  test('has in finer periods together what it has in coarser ones, over all parts of the answer', async () => {
    const range = { from: '2026-01-01T05:20:00Z', to: '2026-01-15T18:00:00Z' };
    const [quarters, hours, days] = await inOrder(['15MIN', '1HOUR', '1DAY'], (resolution) =>
      ofFleet({ ...range, resolution }),
    );
    expect([quarters?.length, hours?.length, days?.length]).toEqual([
      14 * 96 + 48 - 22,
      14 * 24 + 12 - 5,
      15,
    ]);
    const sumOf = (entries: readonly Entry[] | undefined, name: string, day: string): number =>
      (entries ?? [])
        .filter(({ time }) => time.startsWith(day))
        .reduce((sum, entry) => sum + (entry[name] ?? 0), 0);
    for (const day of days ?? []) {
      for (const name of ENERGIES) {
        const date = day.time.slice(0, 10);
        expect(sumOf(quarters, name, date)).toBeCloseTo(day[name] ?? NaN, 6);
        expect(sumOf(hours, name, date)).toBeCloseTo(day[name] ?? NaN, 6);
      }
    }
    const times = (quarters ?? []).map(({ time }) => Date.parse(time));
    expect(times[0]).toBe(Date.parse('2026-01-01T05:30:00Z'));
    expect(times.every((time, at) => at === 0 || time === (times[at - 1] ?? NaN) + 900_000)).toBe(true);
  });

  test('has what is over, from the start of its history on', async () => {
    const { body } = await ofFleet({ from: '2025-12-10', to: '2026-01-09' });
    expect(body.metadata.from).toBe('2025-12-16T12:00:00.000Z');
    const { body: late } = await ofFleet({ from: '2026-01-15T11:40:00Z', to: '2026-01-16' });
    expect(late.data.map(({ time }: Entry) => time)).toEqual(['2026-01-15T11:45:00.000Z']);
    expect((await ofFleet({ from: '2026-01-16', to: '2026-01-17' })).body).toMatchObject({ data: [] });
  });
});

test('a household has what its devices tell', async () => {
  const [pump] = devices.filter(({ device_type }) => device_type === 'heat_pump');
  const { user_id: userId } = pump as { user_id: string };
  const idOf = (type: string): string =>
    devices.find((device) => device.user_id === userId && device.device_type === type)?.device_id as string;
  const path = { org_id: orgId, user_id: userId };
  const inverterPath = { ...path, inverter_id: idOf('inverter') };
  const pumpPath = { ...path, heat_pump_id: idOf('heat_pump') };
  const household = await entriesOf(ofUser(userId, DAY));
  const inverter = await entriesOf(fleets.api.call('getInverterData', { path: inverterPath, query: DAY }));
  const heat = await entriesOf(fleets.api.call('getHeatPumpData', { path: pumpPath, query: DAY }));
  expect(household).toHaveLength(96);
  for (const [at, entry] of household.entries()) {
    for (const name of ['load_power_w', 'pv_power_w', 'battery_power_w', 'grid_power_w', 'time'] as const) {
      expect(entry[name]).toBe(inverter[at]?.[name]);
    }
    expect(entry['heat_pump_power_w']).toBe(heat[at]?.['power_w']);
    for (const name of ['indoor_temperature_c', 'hot_water_temperature_c', 'outdoor_temperature_c']) {
      expect(entry[name]).toBe(heat[at]?.[name]);
    }
    expect(
      Math.abs((entry['grid_import_kwh'] ?? NaN) - (inverter[at]?.['grid_import_kwh'] ?? NaN)),
    ).toBeLessThan(0.00101);
  }
});

describe.each([
  ['a fleet', () => `${fleets.api.own.orgId}/device-simulator/fleets/${jobId}/data`, () => ofFleet],
  [
    'a household',
    () => `${orgId}/users/${users[0]?.user_id ?? ''}/data`,
    () => (query: Record<string, string>) => ofUser(users[0]?.user_id ?? '', query),
  ],
] as const)('the table of %s', (_, path, call) => {
  const query = { from: '2026-01-10T00:00:00Z', to: '2026-01-16T00:00:00Z' };
  const url = () => `${path()}?from=${query.from}&to=${query.to}`;

  test('is the same as CSV', async () => {
    const data = await entriesOf(call()(query));
    const { type, bytes } = await download(url(), 'text/csv');
    expect(type).toBe('text/csv; charset=utf-8; header=present');
    const [names = '', ...lines] = new TextDecoder().decode(bytes).split('\r\n');
    expect(lines.pop()).toBe('');
    expect(names).toBe(Object.keys(data[0] ?? {}).join(','));
    expect(lines).toEqual(
      data.map((entry) =>
        Object.values(entry)
          .map((value) => value ?? '')
          .join(','),
      ),
    );
  });

  test('is the same as Parquet', async () => {
    const data = await entriesOf(call()(query));
    const { type, bytes } = await download(url(), 'application/vnd.apache.parquet');
    expect(type).toBe('application/vnd.apache.parquet');
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
    const rows = await parquetReadObjects({ file });
    expect(rows.map((row) => ({ ...row, time: (row['time'] as Date).toISOString() }))).toEqual(data);
  });

  test('without rows is a table still', async () => {
    const none = url().replaceAll('2026', '2020');
    const csv = await download(none, 'text/csv');
    expect(new TextDecoder().decode(csv.bytes)).toMatch(/^time,load_power_w,[a-z_,]+\r\n$/);
    const { bytes } = await download(none, 'application/vnd.apache.parquet');
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
    expect(await parquetReadObjects({ file })).toEqual([]);
  });
});

test('the media type is the one that the client prefers; another one is refused with those that there are', async () => {
  const types = ['application/json', 'text/csv', 'application/vnd.apache.parquet'];
  const asked = await ofFleet(DAY, { headers: { accept: 'text/csv;q=0.5, application/json' } });
  expect(asked.headers['content-type']).toBe('application/json; charset=utf-8');
  const refused = await ofFleet(DAY, { headers: { accept: 'text/html' } });
  expect(refusal(refused)).toEqual([406, 'not_acceptable']);
  expect(refused.body.detail).toBe(
    `This operation answers with ${types.join(', ')}; send one of ${types.join(', ')} as Accept.`,
  );
});

test('ranges that are none or too long are refused', async () => {
  const back = { from: '2026-01-15', to: '2026-01-14' };
  expect(refusal(await ofFleet(back))).toEqual([422, 'validation_failed', 'from range_order']);
  const long = { from: '2025-12-01', to: '2026-01-02' };
  expect(refusal(await ofFleet(long))).toEqual([422, 'validation_failed', 'to range_too_long']);
  const userId = users[0]?.user_id ?? '';
  expect(refusal(await ofUser(userId, back))).toEqual([422, 'validation_failed', 'from range_order']);
  expect(refusal(await ofUser(userId, long))).toEqual([422, 'validation_failed', 'to range_too_long']);
  expect((await ofFleet({ ...long, resolution: '1HOUR' })).status).toBe(200);
});

test('a user whom no fleet simulates has no data; a fleet of another organization is not there', async () => {
  const { own, foreign } = fleets.api;
  const path = { org_id: own.orgId, user_id: own.user.id };
  const mine = await fleets.api.call('getHouseholdData', { path, query: DAY, token: own.user.token });
  expect([mine.status, mine.body]).toEqual([
    200,
    {
      metadata: { user_id: own.user.id, time_zone: null, resolution: '15MIN', from: null, to: null },
      data: [],
    },
  ]);
  const others = { org_id: foreign.orgId, job_id: jobId };
  const answer = await fleets.api.call('getFleetData', {
    path: others,
    query: DAY,
    token: foreign.admin.token,
  });
  expect(refusal(answer)).toEqual([404, 'not_found']);
});

test('households of deleted users and those of a cleaned fleet have no part in it', async () => {
  const fleet = await fleets.running({ count: 3, history_days: 2 });
  const path = { job_id: fleet.job_id as string };
  const count = async (): Promise<unknown> => {
    const { body } = await fleets.api.call('getFleetData', { path, query: { ...DAY, resolution: '1DAY' } });
    return [body.metadata.households, body.data.length];
  };
  expect(await count()).toEqual([3, 1]);
  const [first] = await fleets.locations(path.job_id);
  const user = { org_id: fleet.simulation_org_id as string, user_id: first.user_id as string };
  expect((await fleets.api.call('deleteUser', { path: user })).status).toBe(204);
  expect(await count()).toEqual([2, 1]);
  await fleets.act('stopFleet', path.job_id);
  await fleets.runner.processAll();
  expect(await count()).toEqual([2, 1]);
  await fleets.act('cleanupFleet', path.job_id);
  expect(await count()).toEqual([0, 0]);
});
