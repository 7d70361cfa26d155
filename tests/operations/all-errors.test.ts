// A body that breaks the document and a rule of its operation is told both at once.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { fleetApi } from '../fleets/fleet-api.ts';
import type { Call } from '../support/api-client.ts';
import type { OperationId } from '../../generated/routes.ts';
import { refusal } from './refusal.ts';

const fleets = fleetApi();
const url = 'https://partner.example.com/';

interface Case {
  readonly id: OperationId;
  readonly call: () => Promise<Call> | Call;
  readonly errors: readonly string[];
}

const cases: readonly Case[] = [
  {
    id: 'createUser',
    call: () => ({
      body: { email: 7, role: 'user', country: 'ZZ', org_id: randomUUID(), latitude: 48, hobby: 'x' },
    }),
    errors: [
      '/country country_unknown',
      '/email type',
      '/hobby unknown_property',
      '/longitude coordinates_incomplete',
      '/org_id org_id_mismatch',
    ],
  },
  {
    id: 'createUser',
    // The pair of coordinates cannot be checked, and says so itself.
    call: () => ({ body: { email: 'a@example.com', role: 'user', country: 'ZZ', latitude: 'x' } }),
    errors: ['/country country_unknown', '/latitude type'],
  },
  {
    id: 'updateUser',
    call: () => ({
      path: { user_id: fleets.api.own.user.id },
      body: { email: 7, country: 'ZZ', latitude: 48 },
    }),
    errors: ['/country country_unknown', '/email type', '/longitude coordinates_incomplete'],
  },
  {
    id: 'createWebhook',
    call: () => ({ body: { url: 'https://10.0.0.1/', topics: ['x'], color: 1 } }),
    errors: ['/color unknown_property', '/topics/0 unknown_topic', '/url forbidden_address'],
  },
  {
    id: 'updateWebhook',
    call: async () => ({ path: { webhook_id: await webhook() }, body: { enabled: 'yes', topics: ['x'] } }),
    errors: ['/enabled type', '/topics/0 unknown_topic'],
  },
  {
    id: 'testWebhook',
    call: async () => ({
      path: { webhook_id: await webhook() },
      body: { topic: 'device.information', color: 1 },
    }),
    errors: ['/color unknown_property', '/topic not_subscribed'],
  },
  {
    id: 'expandFleet',
    call: async () => {
      const { body } = await fleets.create({ count: 1 });
      await fleets.api.db.updateTable('fleets').set({ household_count: 9_500 }).execute();
      return { path: { job_id: body.job_id as string }, body: { request_id: 'x', count: 501 } };
    },
    errors: ['/count fleet_too_large', '/request_id format'],
  },
  {
    id: 'createFleet',
    call: () => ({ body: { request_id: randomUUID(), name: 7, groups: [{ name: 'a' }, { name: 'a' }] } }),
    errors: ['/groups/1/name duplicate_group_name', '/name type'],
  },
  {
    id: 'uploadDayAheadPrices',
    call: () => ({
      body: {
        metadata: { timezone_override: 'Europe/Nowhere' },
        data: [
          { timestamp: '2026-06-15T13:01:00Z', price: 'x' },
          { timestamp: 'noon', price: 1 },
          { timestamp: '2026-06-15T14:00:00Z', price: 1e308 },
          { timestamp: '2026-06-15T14:00:00Z', price: 1 },
          7,
        ],
      },
    }),
    errors: [
      '/data/0/price type',
      '/data/0/timestamp timestamp_alignment',
      '/data/1/timestamp format',
      '/data/2/price maximum',
      '/data/3/timestamp timestamp_duplicate',
      '/data/4 type',
      '/metadata/timezone_override time_zone_unknown',
    ],
  },
];

async function webhook(): Promise<string> {
  const { body } = await fleets.api.call('createWebhook', { body: { url } });
  return body.id as string;
}

test.each(cases)('$id: $errors', async ({ id, call, errors }) => {
  const [status, code, ...found] = refusal(await fleets.api.call(id, await call()));
  expect([status, code, ...found.toSorted()]).toEqual([422, 'validation_failed', ...errors]);
});

test('lists are not passed over without end', async () => {
  const { body } = await fleets.create({ count: 1 });
  const path = { job_id: body.job_id as string };
  for (const id of ['listWebhooks', 'listFleetDevices'] as const) {
    expect((await fleets.api.call(id, { path, query: { page: 1_000 } })).status).toBe(200);
    const beyond = await fleets.api.call(id, { path, query: { page: 1_001 } });
    expect(refusal(beyond)).toEqual([422, 'validation_failed', 'page maximum']);
  }
  for (const id of ['listActions', 'listInformation'] as const) {
    expect((await fleets.api.call(id, { query: { offset: 10_000 } })).status).toBe(200);
    const beyond = await fleets.api.call(id, { query: { offset: 10_001 } });
    expect(refusal(beyond)).toEqual([422, 'validation_failed', 'offset maximum']);
  }
});
