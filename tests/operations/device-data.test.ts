import type { DeviceType } from '../../src/domain/fleets/devices.ts';
import { DEVICE_TYPES } from '../../src/domain/fleets/devices.ts';
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { NO_RATINGS } from '../../src/simulation/household/device-description.ts';
import { fleetApi } from '../fleets/fleet-api.ts';
import type { Answer, Call } from '../support/api-client.ts';
import { refusal } from './refusal.ts';

type Entry = Readonly<Record<string, number>> & { readonly time: string };
interface Owned {
  readonly device_id: string;
  readonly user_id: string;
  readonly state: Readonly<Record<string, number>>;
}

const NOON = '2026-01-15T12:00:00.000Z';
const HISTORY = '2025-12-16T12:00:00.000Z';
const RESOLUTIONS = ['15MIN', '1HOUR', '1DAY'] as const;
const operations = {
  electric_vehicle: ['getElectricVehicleData', 'electric_vehicle_id', 'getUserElectricVehicle'],
  heat_pump: ['getHeatPumpData', 'heat_pump_id', 'getUserHeatPump'],
  inverter: ['getInverterData', 'inverter_id', 'getUserInverter'],
  wallbox: ['getWallboxData', 'wallbox_id', 'getUserWallbox'],
} as const;

const fleets = fleetApi({ now: new Date(NOON) });
let orgId: string;
let jobId: string;
/** A device of each type, those of a household with a heat pump. */
let devices: Readonly<Record<DeviceType, Owned>>;

beforeAll(async () => {
  const fleet = await fleets.running({ count: 12, ev_ownership_fraction: 1, history_days: 30, seed: 7 });
  jobId = fleet.job_id as string;
  orgId = fleet.simulation_org_id as string;
  const all = await fleets.devices(jobId);
  const heated = all.find((device) => device.device_type === 'heat_pump').household_index as number;
  const household = all.filter((device) => device.household_index === heated);
  devices = Object.fromEntries(
    household.map((device) => [device.device_type as DeviceType, device as Owned]),
  ) as Record<DeviceType, Owned>;
});

function pathOf(type: DeviceType) {
  const { user_id, device_id } = devices[type];
  return { org_id: orgId, user_id, [operations[type][1]]: device_id };
}

function get(type: DeviceType, query: Record<string, string>, call: Call = {}): Promise<Answer> {
  return fleets.api.call(operations[type][0], { path: pathOf(type), query, ...call });
}

async function entries(type: DeviceType, from: string, to: string, resolution = '15MIN'): Promise<Entry[]> {
  const answer = await get(type, { from, to, resolution });
  expect(answer.status).toBe(200);
  return answer.body.data as Entry[];
}

async function stateOf(type: DeviceType): Promise<Readonly<Record<string, number>>> {
  const answer = await fleets.api.call(operations[type][2], { path: pathOf(type) });
  return answer.body.state as Record<string, number>;
}

/** Sums of energies in Wh and of minutes; the numbers are written with three decimals. */
function sums(list: readonly Entry[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const entry of list) {
    for (const [name, value] of Object.entries<number>(entry as Readonly<Record<string, number>>)) {
      if (!/_kwh$|_minutes$/.test(name)) continue;
      expect(value).toBe(Math.round(value * 1000) / 1000);
      total[name] = (total[name] ?? 0) + Math.round(value * 1000);
    }
  }
  return total;
}

const counters: Readonly<Record<DeviceType, Readonly<Record<string, string>>>> = {
  electric_vehicle: { energy_charged_kwh: 'energy_charged_kwh' },
  heat_pump: { energy_kwh: 'energy_kwh' },
  inverter: {
    pv_energy_kwh: 'pv_energy_kwh',
    grid_import_kwh: 'grid_import_kwh',
    grid_export_kwh: 'grid_export_kwh',
  },
  wallbox: { energy_kwh: 'energy_kwh' },
};
const powers: Readonly<Record<DeviceType, readonly string[]>> = {
  electric_vehicle: ['charge_power_w'],
  heat_pump: ['power_w', 'heat_w'],
  inverter: ['pv_power_w', 'load_power_w', 'battery_power_w', 'grid_power_w'],
  wallbox: ['power_w'],
};

describe.each(DEVICE_TYPES)('data of a simulated %s', (type) => {
  test('of every resolution sum up to the same, also over ranges that cut periods', async () => {
    for (const [from, to] of [
      [HISTORY, NOON],
      ['2025-12-20T07:15:00Z', '2026-01-04T21:45:00Z'],
      ['2026-01-02T10:15:00Z', '2026-01-02T10:45:00Z'],
    ] as const) {
      const [quarters = [], hours = [], days = []] = await Promise.all(
        RESOLUTIONS.map((resolution) => entries(type, from, to, resolution)),
      );
      const span = (Date.parse(to) - Date.parse(from)) / 900_000;
      expect(quarters).toHaveLength(span);
      expect(sums(hours)).toEqual(sums(quarters));
      expect(sums(days)).toEqual(sums(quarters));
      const starts = quarters.map(({ time }) => time);
      const begins = (list: readonly Entry[]): string[] => list.map(({ time }) => time);
      expect(begins(hours)).toEqual(starts.filter((time, i) => i === 0 || time.slice(14) === '00:00.000Z'));
      expect(begins(days)).toEqual(starts.filter((time, i) => i === 0 || time.slice(11) === '00:00:00.000Z'));
    }
  });

  test('do not depend on the range that is asked for', async () => {
    const all = await entries(type, HISTORY, NOON);
    const some = await entries(type, '2026-01-01T09:30:00Z', '2026-01-03T00:15:00Z');
    expect(some).toEqual(all.filter(({ time }) => time >= '2026-01-01T09:30' && time < '2026-01-03T00:15'));
    expect(some).toHaveLength(155);
  });

  test('sum up to its counters and agree with its state', async () => {
    const total = sums(await entries(type, HISTORY, NOON));
    const state = await stateOf(type);
    for (const [column, counter] of Object.entries(counters[type])) {
      expect([column, total[column]]).toEqual([column, Math.round((state[counter] ?? NaN) * 1000)]);
    }
    expect(Object.values(total).some((value) => value > 0)).toBe(true);
    for (let hour = 12; hour < 24; hour++) {
      fleets.api.clock.set(`2026-01-15T${hour}:00:00Z`);
      const during = await stateOf(type);
      fleets.api.clock.set(`2026-01-15T${hour}:15:00Z`);
      const [entry] = await entries(type, `2026-01-15T${hour}:00:00Z`, `2026-01-15T${hour}:15:00Z`);
      for (const power of powers[type])
        expect([power, entry?.[power]]).toEqual([power, during[power] ?? NaN]);
      if ('soc_percent' in during) expect(entry?.['soc_percent']).toBe((await stateOf(type))['soc_percent']);
    }
    fleets.api.clock.set(NOON);
  });

  test('lie between the start of the history and the last quarter hour that is over', async () => {
    fleets.api.clock.set('2026-01-15T12:14:59.999Z');
    const answer = await get(type, { from: '2025-12-16', to: '2026-01-16' });
    expect(answer.body.metadata).toEqual({
      user_id: devices[type].user_id,
      device_id: devices[type].device_id,
      device_type: type,
      resolution: '15MIN',
      from: HISTORY,
      to: NOON,
      time_zone: 'Europe/Berlin',
    });
    expect(answer.body.data).toHaveLength(30 * 96);
    const before = await get(type, { from: '2025-12-01', to: HISTORY });
    const after = await get(type, { from: NOON, to: '2026-01-16' });
    for (const { status, body } of [before, after]) {
      expect(status).toBe(200);
      expect(body).toMatchObject({
        metadata: { from: null, to: null, time_zone: 'Europe/Berlin' },
        data: [],
      });
    }
    fleets.api.clock.set(NOON);
  });

  test('are asked for in a range in order and within the limit of the resolution', async () => {
    for (const [resolution, days] of [
      ['15MIN', 31],
      ['1HOUR', 92],
      ['1DAY', 366],
    ] as const) {
      const from = '2026-01-01T00:00:00Z';
      const at = (ms: number): string => new Date(Date.parse(from) + days * 86_400_000 + ms).toISOString();
      expect((await get(type, { from, to: at(0), resolution })).status).toBe(200);
      expect(refusal(await get(type, { from, to: at(1), resolution }))).toEqual([
        422,
        'validation_failed',
        'to range_too_long',
      ]);
    }
    const invalid: readonly (readonly [Record<string, string>, string])[] = [
      [{ from: NOON, to: NOON }, 'from range_order'],
      [{ from: NOON }, 'to required'],
      [{ from: 'noon', to: NOON }, 'from format'],
      [{ from: HISTORY, to: NOON, resolution: '5MIN' }, 'resolution enum'],
    ];
    for (const [query, fault] of invalid) {
      expect(refusal(await get(type, query))).toEqual([422, 'validation_failed', fault]);
    }
    const elsewhere = { path: { ...pathOf(type), [operations[type][1]]: randomUUID() } };
    expect((await get(type, { from: NOON, to: NOON }, elsewhere)).status).toBe(404);
  });

  test('are empty where nothing simulates the device, and its user may see them', async () => {
    const { user } = fleets.api.own;
    const id = randomUUID();
    await fleets.api.db
      .insertInto('devices')
      .values({
        org_id: user.orgId,
        id,
        user_id: user.id,
        device_type: type,
        name: 'Own',
        manufacturer: 'Maker',
        model: 'M 1',
        ratings: JSON.stringify(NO_RATINGS),
        created_at: fleets.api.clock.now(),
      })
      .execute();
    const path = { user_id: user.id, [operations[type][1]]: id };
    const answer = await get(
      type,
      { from: HISTORY, to: NOON, resolution: '1DAY' },
      { path, token: user.token },
    );
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        metadata: {
          user_id: user.id,
          device_id: id,
          device_type: type,
          resolution: '1DAY',
          from: null,
          to: null,
          time_zone: null,
        },
        data: [],
      },
    ]);
  });
});

test('an inverter and its battery add up in every period', async () => {
  const [inverter, vehicle, pump] = await Promise.all(
    (['inverter', 'electric_vehicle', 'heat_pump'] as const).map((type) => entries(type, HISTORY, NOON)),
  );
  for (const [i, entry] of (inverter ?? []).entries()) {
    const others = (vehicle?.[i]?.['charge_power_w'] ?? NaN) + (pump?.[i]?.['power_w'] ?? NaN);
    const balance =
      (entry['load_power_w'] ?? NaN) +
      others +
      (entry['battery_power_w'] ?? NaN) -
      (entry['pv_power_w'] ?? NaN);
    expect([entry.time, entry['grid_power_w']]).toEqual([entry.time, balance]);
  }
  expect(inverter).toHaveLength(2880);
});

test('a heat pump follows the schedule that was computed, and prices that come later change nothing', async () => {
  const data = Array.from({ length: 48 }, (_, hour) => ({
    timestamp: new Date(Date.parse('2026-01-15T23:00:00Z') + hour * 3_600_000).toISOString(),
    price: hour % 8 < 4 ? 20 : 400,
  }));
  const day = ['2026-01-15T23:00:00Z', '2026-01-17T23:00:00Z'] as const;
  const upload = await fleets.api.call('uploadDayAheadPrices', { path: { org_id: orgId }, body: { data } });
  expect(upload.body).toMatchObject({ state: 'success' });
  const schedule = await fleets.api.call('getHeatPumpSchedules', {
    path: pathOf('heat_pump'),
    query: { from: day[0], to: day[1] },
  });
  fleets.api.clock.set('2026-01-18T00:00:00Z');
  const followed = await entries('heat_pump', ...day);
  const states = (schedule.body.data as { state: string }[]).map(({ state }) => state);
  const mean = (state: string): number => {
    const heats = followed.filter((_, i) => states[i] === state).map((entry) => entry['heat_w'] ?? NaN);
    return heats.reduce((a, b) => a + b, 0) / heats.length;
  };
  expect(mean('max')).toBeGreaterThan(2 * mean('min'));
  const late = data.map((entry) => ({ ...entry, price: 420 - entry.price }));
  await fleets.api.call('uploadDayAheadPrices', { path: { org_id: orgId }, body: { data: late } });
  expect(await entries('heat_pump', ...day)).toEqual(followed);
  fleets.api.clock.set(NOON);
});

test('the data of a stopped fleet end with it', async () => {
  fleets.api.clock.set('2026-01-18T06:20:00Z');
  expect((await fleets.act('stopFleet', jobId)).status).toBe(200);
  const query = { from: '2026-01-17', to: '2026-01-20', resolution: '1HOUR' };
  const atOnce = await get('inverter', query);
  fleets.api.clock.set('2026-02-01T00:00:00Z');
  const later = await get('inverter', query);
  expect(later.body).toEqual(atOnce.body);
  expect(later.body.metadata).toMatchObject({ to: '2026-01-18T06:15:00.000Z' });
  expect(later.body.data).toHaveLength(31);
});
