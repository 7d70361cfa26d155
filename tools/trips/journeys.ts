import { randomUUID } from 'node:crypto';
import type { DemoReceiver } from '../demo/receiver.ts';
import type { ApiCaller } from './api-caller.ts';
import { DAY_MS, QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';

/** What a journey is made with: a service with a fleet of its own, and a webhook on it. */
export interface World {
  readonly api: ApiCaller;
  readonly receiver: DemoReceiver;
  readonly orgId: string;
  readonly jobId: string;
  readonly simulationOrgId: string;
  readonly heatPump: { readonly deviceId: string; readonly userId: string };
}

export interface Journey {
  readonly name: string;
  readonly run: (world: World) => Promise<void>;
}

const API = '/api/partners/v2.0';
const fleetsPath = (orgId: string): string => `${API}/org/${orgId}/device-simulator/fleets`;

/** Creates a fleet of three households with two days of history and waits until it runs. */
export async function createRunningFleet(api: ApiCaller, orgId: string): Promise<Record<string, unknown>> {
  const fleet = await api.call('POST', fleetsPath(orgId), {
    request_id: randomUUID(),
    count: 3,
    history_days: 2,
    density: DENSITY,
  });
  return api.until(`${fleetsPath(orgId)}/${String(fleet['job_id'])}`, ({ status }) => status === 'running');
}

/** 2 x 2 cells of one degree in Germany, with a household density of 1, 2, 3 and 4: one byte a cell, base64. */
const DENSITY = {
  country: 'DE',
  dataset_version: 'trips-1',
  boundary_version: 'trips-1',
  grid: { origin_lat: 50, origin_lon: 9, cell_deg: 1, rows: 2, cols: 2 },
  weights: 'AQIDBA==',
};

export async function createWorld(api: ApiCaller, receiver: DemoReceiver, orgId: string): Promise<World> {
  const fleet = await createRunningFleet(api, orgId);
  const [jobId, simulationOrgId] = [String(fleet['job_id']), String(fleet['simulation_org_id'])];
  await api.call('POST', `${API}/org/${simulationOrgId}/notifications/webhooks`, {
    url: receiver.url,
    topics: ['device.information'],
  });
  const devices = await api.call('GET', `${fleetsPath(orgId)}/${jobId}/devices?device_type=heat_pump`);
  const pump = (devices['items'] as readonly { device_id: string; user_id: string }[])[0];
  if (pump === undefined) throw new Error('The fleet has no heat pump.');
  return {
    api,
    receiver,
    orgId,
    jobId,
    simulationOrgId,
    heatPump: { deviceId: pump.device_id, userId: pump.user_id },
  };
}

export const journeys: readonly Journey[] = [
  {
    name: 'POST /users',
    run: async ({ api, orgId }) => {
      await api.call('POST', `${API}/org/${orgId}/users`, {
        email: `${randomUUID()}@example.com`,
        role: 'user',
        country: 'AT',
      });
    },
  },
  {
    name: "a fleet's creation",
    run: async ({ api, orgId }) => {
      await createRunningFleet(api, orgId);
    },
  },
  {
    name: 'a webhook message',
    run: async ({ api, orgId, jobId, heatPump, receiver }) => {
      const events = `${fleetsPath(orgId)}/${jobId}/devices/${heatPump.deviceId}/events`;
      await api.call('POST', events, { code: 'device_offline' });
      await receiver.next(15_000);
      // Ends the outage, so that the next one is told again; recovery sends no message.
      await api.call('POST', events, { code: 'reconnect' });
    },
  },
  {
    name: "a device's value at 14:00",
    run: async ({ api, simulationOrgId, heatPump }) => {
      const yesterday = Math.floor(Date.now() / DAY_MS - 1) * DAY_MS;
      const from = new Date(yesterday + 14 * 4 * QUARTER_HOUR_MS);
      const to = new Date(from.getTime() + QUARTER_HOUR_MS);
      const device = `${API}/org/${simulationOrgId}/users/${heatPump.userId}/heat-pumps/${heatPump.deviceId}`;
      await api.call(
        'GET',
        `${device}/data?from=${from.toISOString()}&to=${to.toISOString()}&resolution=15MIN`,
      );
    },
  },
];
