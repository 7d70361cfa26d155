import { expect, vi, test } from 'vitest';
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
