// What is asked of a simulated device shows in its state from the next quarter hour on, and changes nothing that has been.
import { beforeAll, expect, test } from 'vitest';
import type { OperationId } from '../../generated/routes.ts';
import { fleetApi } from '../fleets/fleet-api.ts';

const NOON = '2026-01-15T12:02:00.000Z';
const fleets = fleetApi({ now: new Date(NOON) });

interface Device {
  readonly org_id: string;
  readonly user_id: string;
  readonly device_id: string;
}
const household = {} as Record<'electric_vehicle' | 'heat_pump' | 'inverter', Device>;

beforeAll(async () => {
  const fleet = await fleets.running({ count: 8, seed: 21, ev_ownership_fraction: 1, history_days: 3 });
  const devices = await fleets.devices(fleet.job_id as string);
  const pump = devices.find((device) => device.device_type === 'heat_pump');
  for (const device of devices) {
    if (device.user_id === pump.user_id && device.device_type !== 'wallbox') {
      household[device.device_type as keyof typeof household] = device as Device;
    }
  }
});

const TYPES = {
  electric_vehicle: ['ElectricVehicle', 'electric_vehicle_id', { charge_policy: 'smart' }],
  heat_pump: ['HeatPump', 'heat_pump_id', { price_response: false, comfort_temperature_c: 18 }],
  inverter: ['Inverter', 'inverter_id', { price_response: true, reserve_percent: 60 }],
} as const;
type Type = keyof typeof TYPES;

const call = (type: Type, operation: (noun: string) => string, more: object = {}) => {
  const [noun, parameter] = TYPES[type];
  const { org_id, user_id, device_id } = household[type];
  const path = { org_id, user_id, [parameter]: device_id };
  return fleets.api.call(operation(noun) as OperationId, { path, ...more });
};

async function controlOf(type: Type): Promise<unknown> {
  const { body } = await call(type, (noun) => `getUser${noun}`);
  const listed = (await fleets.devices(body.job_id as string)).find(
    (device) => device.device_id === body.device_id,
  );
  expect(listed).toEqual(body);
  return body.state.control;
}

/** The quarter hours of three days, and the counters, up to an instant. */
async function pastOf(type: Type, to: string): Promise<unknown> {
  const query = { from: '2026-01-12T12:00:00Z', to };
  return (await call(type, (noun) => `get${noun}Data`, { query })).text;
}

test.each(['electric_vehicle', 'heat_pump', 'inverter'] as const)(
  'an %s is boosted from the next quarter hour on, until the boost ends',
  async (type) => {
    fleets.api.clock.set(NOON);
    const before = await controlOf(type);
    await call(type, (noun) => `start${noun}Boost`, { body: { ends_at: '2026-01-15T12:45:00Z' } });
    const states: unknown[] = [];
    for (const instant of ['12:14:59.999', '12:15:00.000', '12:44:59.999', '12:45:00.000']) {
      fleets.api.clock.set(`2026-01-15T${instant}Z`);
      states.push(await controlOf(type));
    }
    const boost = { mode: 'boost', reason: 'boost_requested' };
    expect(states).toEqual([before, boost, boost, before]);
  },
);

test.each(['electric_vehicle', 'heat_pump', 'inverter'] as const)(
  'what an %s has done stays as it was, whatever is asked of the household and wherever it moves',
  async (type) => {
    fleets.api.clock.set('2026-01-15T13:02:00Z');
    const past = await pastOf(type, '2026-01-15T13:00:00Z');
    for (const asked of Object.keys(TYPES) as Type[]) {
      const body = TYPES[asked][2];
      expect((await call(asked, (noun) => `update${noun}Preferences`, { body })).status).toBe(200);
      await call(asked, (noun) => `start${noun}Boost`, { body: { ends_at: '2026-01-15T20:00:00Z' } });
    }
    const { org_id, user_id } = household[type];
    const path = { org_id, user_id };
    const moved = await fleets.api.call('updateUser', { path, body: { latitude: 60, longitude: 25 } });
    expect(moved.status).toBe(200);
    fleets.api.clock.set('2026-01-15T23:02:00Z');
    expect(await pastOf(type, '2026-01-15T13:00:00Z')).toBe(past);
    const control = {
      preference: { mode: 'automatic', reason: 'preference' },
      no_prices: { mode: 'automatic', reason: 'no_prices' },
    };
    expect(await controlOf(type)).toEqual(control[type === 'heat_pump' ? 'preference' : 'no_prices']);
  },
);
