import { randomUUID } from 'node:crypto';
import { expect, vi, test } from 'vitest';
import { deleteForgettableRequests } from '../../src/queries/fleets/fleet-requests.ts';
import { fleetApi } from '../fleets/fleet-api.ts';

const countCancelled = vi.fn();
const fleets = fleetApi({ services: { countCancelled } });

test('a purge cancels and counts what its webhooks still had to get', async () => {
  const fleet = await fleets.running({ count: 1 });
  const [job_id, orgId] = [fleet.job_id as string, fleet.simulation_org_id as string];
  const body = { url: 'https://example.com/hook', topics: ['device.information'] };
  await fleets.api.call('createWebhook', { path: { org_id: orgId }, body });
  const [device] = await fleets.devices(job_id);
  const path = { job_id, device_id: device?.device_id };
  await fleets.api.call('triggerDeviceEvent', { path, body: { code: 'device_offline' } });
  await fleets.act('stopFleet', job_id);
  expect(countCancelled).not.toHaveBeenCalled();
  await fleets.act('purgeFleet', job_id);
  expect(countCancelled.mock.calls).toEqual([['deleted', 1]]);
  const left = await fleets.api.db
    .selectFrom('deliveries')
    .select(['state', 'cancel_reason'])
    .where('org_id', '=', orgId)
    .execute();
  expect(left).toEqual([{ state: 'cancelled', cancel_reason: 'deleted' }]);
});

test('a repeat for a purged fleet is gone, anything else is not found; the ids are forgotten in 30 days', async () => {
  const body = { request_id: randomUUID(), count: 1 };
  const jobId = (await fleets.running(body)).job_id as string;
  const requestId = randomUUID();
  await fleets.expand(jobId, 1, requestId);
  await fleets.runner.processAll();
  const { db, clock } = fleets.api;
  const forgettable = () =>
    db
      .selectFrom('fleet_requests')
      .select('operation')
      .where('fleet_id', '=', jobId)
      .where('forget_at', '<=', clock.now())
      .orderBy('operation')
      .execute();
  clock.advance(10 * 86_400_000);
  await fleets.act('stopFleet', jobId);
  await fleets.act('purgeFleet', jobId);
  expect((await fleets.create(body)).status).toBe(200);
  await fleets.runner.processAll();
  const gone = await fleets.expand(jobId, 1, requestId);
  expect([gone.status, gone.body.code]).toEqual([410, 'request_purged']);
  expect((await fleets.expand(jobId, 1)).status).toBe(404);
  expect((await fleets.create(body)).status).toBe(410);
  clock.advance(20 * 86_400_000 - 1);
  expect(await forgettable()).toEqual([]);
  clock.advance(1);
  expect(await forgettable()).toEqual([{ operation: 'expand' }]);
  clock.advance(10 * 86_400_000 - 1);
  expect(await forgettable()).toEqual([{ operation: 'expand' }]);
  clock.advance(1);
  expect(await forgettable()).toEqual([{ operation: 'create' }, { operation: 'expand' }]);
  expect(await deleteForgettableRequests(db, clock.now(), 1)).toBe(1);
  expect(await deleteForgettableRequests(db, clock.now(), 100)).toBeGreaterThan(0);
  expect(await forgettable()).toEqual([]);
  expect((await fleets.create(body)).body).toMatchObject({ job_id: jobId, status: 'queued' });
});
