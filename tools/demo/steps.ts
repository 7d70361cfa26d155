import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { DemoClient } from './client.ts';
import { approveConsent, checkSignature, TIMEOUT_MS, waitUntil } from './partner.ts';
import type { DemoReceiver } from './receiver.ts';
import { HOUR_MS } from '../../src/domain/api/durations.ts';

/** What the steps hand to each other. */
export interface Progress {
  readonly client: DemoClient;
  readonly receiver: DemoReceiver;
  readonly clientId: string;
  readonly clientSecret: string;
  org: string;
  jobId: string;
  simulationOrg: string;
  secret: string;
  deviceId: string;
  message: { owner_id: string };
}

export interface Step {
  readonly title: string;
  /** Throws when the service does not do what the document says. */
  readonly run: (demo: Progress) => Promise<void>;
}

const API = '/api/partners/v2.0';

/** The steps in their order; each uses what the ones before it have left in Progress. */
export const DEMO_STEPS: readonly Step[] = [
  {
    title: 'Get an access token with the client credentials',
    run: async (demo) => {
      const basic = Buffer.from(`${demo.clientId}:${demo.clientSecret}`).toString('base64');
      const { status, body } = await demo.client.call(
        'POST',
        '/oauth2/token/',
        { grant_type: 'client_credentials' },
        { authorization: `Basic ${basic}` },
      );
      assert.equal(status, 200);
      assert.equal(body.token_type, 'Bearer');
      assert.equal(body.refresh_token, undefined);
      demo.client.useToken(body.access_token as string);
    },
  },
  {
    title: 'Create a user, and change the town',
    run: async (demo) => {
      const created = await demo.client.call('POST', `${API}/org/${demo.org}/users`, {
        email: 'ada@example.com',
        role: 'user',
        first_name: 'Ada',
        country: 'AT',
      });
      assert.equal(created.status, 201);
      const changed = await demo.client.call('PUT', `${API}/org/${demo.org}/users/${created.body.id}`, {
        town: 'Graz',
      });
      assert.equal(changed.status, 200);
      assert.equal(changed.body.town, 'Graz');
      assert.equal(changed.body.first_name, 'Ada');
    },
  },
  {
    title: "Upload tomorrow's day-ahead prices",
    run: async (demo) => {
      const start = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
      const data = Array.from({ length: 24 }, (_, hour) => ({
        timestamp: new Date(start + hour * HOUR_MS).toISOString(),
        price: Math.round(80 + 40 * Math.cos((hour / 12) * Math.PI)),
      }));
      const { status, body } = await demo.client.call(
        'PATCH',
        `${API}/org/${demo.org}/trading/dayahead/prices`,
        { data },
      );
      assert.equal(status, 200);
      assert.equal(body.state, 'success');
    },
  },
  {
    title: 'Simulate a fleet of ten households',
    run: async (demo) => {
      const definition = {
        request_id: randomUUID(),
        name: 'Demo fleet',
        count: 10,
        latitude: 48.21,
        longitude: 16.37,
        ev_ownership_fraction: 0.5,
      };
      const preview = await demo.client.call(
        'POST',
        `${API}/org/${demo.org}/device-simulator/fleets/preview`,
        definition,
      );
      assert.equal(preview.status, 200);
      const created = await demo.client.call(
        'POST',
        `${API}/org/${demo.org}/device-simulator/fleets`,
        definition,
      );
      assert.equal(created.status, 200);
      assert.equal(created.body.job_id, preview.body.job_id);
      demo.jobId = created.body.job_id as string;
      demo.simulationOrg = created.body.simulation_org_id as string;
      const running = await waitUntil(
        () => demo.client.call('GET', fleetPath(demo)),
        ({ body }) => body.status === 'running',
      );
      assert.deepEqual(running.body.progress, { created: 10, total: 10 });
    },
  },
  {
    title: 'Look at its devices and at the schedule of a heat pump',
    run: async (demo) => {
      const { status, body } = await demo.client.call('GET', `${fleetPath(demo)}/devices`);
      assert.equal(status, 200);
      const vehicle = body.items.find(
        (device: { device_type: string }) => device.device_type === 'electric_vehicle',
      );
      const pump = (await demo.client.call('GET', `${fleetPath(demo)}/devices?device_type=heat_pump`)).body
        .items[0];
      demo.deviceId = vehicle.device_id as string;
      if (pump === undefined) return;
      const from = new Date().toISOString();
      const to = new Date(Date.now() + 6 * HOUR_MS).toISOString();
      const path = `${API}/org/${demo.simulationOrg}/users/${pump.user_id}/heat-pumps/${pump.device_id}/schedules`;
      const schedule = await demo.client.call('GET', `${path}?from=${from}&to=${to}`);
      assert.equal(schedule.status, 200);
      assert.equal(schedule.body.metadata.error, '');
      assert.ok(schedule.body.data.length >= 24);
    },
  },
  {
    title: 'Register a webhook for the fleet, and send a test message',
    run: async (demo) => {
      const topics = ['device.action_required', 'device.information'];
      const created = await demo.client.call('POST', hooksPath(demo), { url: demo.receiver.url, topics });
      assert.equal(created.status, 201);
      demo.secret = created.body.secret as string;
      const test = await demo.client.call('POST', `${hooksPath(demo)}/${created.body.id}/test`, {
        topic: topics[0],
      });
      assert.deepEqual(test.body, { outcome: 'delivered', status_code: 204, detail: null });
      const message = checkSignature(await demo.receiver.next(TIMEOUT_MS), demo.secret);
      assert.equal(message.message_type, 'service.test');
    },
  },
  {
    title: 'A vehicle loses its session: receive the signed message',
    run: async (demo) => {
      const raised = await demo.client.call('POST', `${fleetPath(demo)}/devices/${demo.deviceId}/events`, {
        code: 'reauthenticate',
      });
      assert.equal(raised.status, 200);
      const message = checkSignature(await demo.receiver.next(TIMEOUT_MS), demo.secret);
      console.log(`   received ${JSON.stringify(message.data)}`);
      assert.equal(message.message_type, 'device.action_required');
      assert.equal(message.data.action, 'reauthentication_required');
      assert.equal(message.data.device_id, demo.deviceId);
      demo.message = message.data as { owner_id: string };
    },
  },
  {
    title: 'Read the notification, and resolve it at the (simulated) manufacturer',
    run: async (demo) => {
      const actions = `${API}/org/${demo.simulationOrg}/notifications/actions?owner_id=${demo.message.owner_id}`;
      const listed = await demo.client.call('GET', actions);
      const item = listed.body.items.find((each: { device_id: string }) => each.device_id === demo.deviceId);
      assert.equal(item.code, 'reauthenticate');
      assert.deepEqual(item.resolution.required_parameters, ['success_url', 'cancel_url']);
      const resolved = await demo.client.call('POST', item.resolution.url as string, {
        success_url: 'https://partner.example.com/done',
        cancel_url: 'https://partner.example.com/cancelled',
      });
      assert.equal(resolved.status, 200);
      await approveConsent(resolved.body.redirect_url as string);
      const after = await demo.client.call('GET', actions);
      assert.equal(
        after.body.items.some((each: { id: string }) => each.id === item.id),
        false,
      );
    },
  },
  {
    title: 'A device goes offline and comes back: one notice, cleared by itself',
    run: async (demo) => {
      const events = `${fleetPath(demo)}/devices/${demo.deviceId}/events`;
      await demo.client.call('POST', events, { code: 'device_offline' });
      const message = checkSignature(await demo.receiver.next(TIMEOUT_MS), demo.secret);
      assert.equal(message.data.notice, 'device_offline');
      await demo.client.call('POST', events, { code: 'reconnect' });
      const history = await demo.client.call(
        'GET',
        `${API}/org/${demo.simulationOrg}/notifications/information?code=device_offline`,
      );
      assert.notEqual(history.body.items[0].cleared_at, null);
      const status = await demo.client.call('GET', `${API}/org/${demo.simulationOrg}/notifications/status`);
      assert.equal(status.body.electric_vehicle.information_available, 0);
    },
  },
  {
    title: 'Stop the fleet and purge it',
    run: async (demo) => {
      assert.equal((await demo.client.call('POST', `${fleetPath(demo)}/stop`)).body.status, 'stopped');
      assert.equal((await demo.client.call('POST', `${fleetPath(demo)}/purge`)).body.status, 'purging');
      await waitUntil(
        () => demo.client.call('GET', fleetPath(demo)),
        ({ status }) => status === 404,
      );
    },
  },
];

function fleetPath(demo: Progress): string {
  return `${API}/org/${demo.org}/device-simulator/fleets/${demo.jobId}`;
}

function hooksPath(demo: Progress): string {
  return `${API}/org/${demo.simulationOrg}/notifications/webhooks`;
}
