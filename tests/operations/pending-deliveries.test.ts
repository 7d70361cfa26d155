// What callers see at the quota of pending deliveries.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { changeQuotas } from '../../src/accounts/quotas.ts';
import { startApi, type Api } from '../support/api.ts';
import type { Answer } from '../support/api-client.ts';
import { addDevice, addFleet, addUser, type SimulatedFleet } from '../support/fleet-records.ts';
import { addMessage, finishDelivery } from '../support/webhook-fixture.ts';
import { refusal } from './refusal.ts';

let api: Api;
const countCancelled = vi.fn();
beforeAll(async () => {
  api = await startApi({ services: { countCancelled } });
});
afterAll(() => api.close());
beforeEach(() => setQuota(undefined));

const setQuota = (quota: number | undefined): Promise<void> =>
  changeQuotas(api.db, api.own.orgId, new Map([['pending_deliveries', quota]]));

async function addWebhook(orgId: string): Promise<string> {
  const body = { url: 'https://partner.example.com/hook', topics: ['device.information'] };
  return (await api.call('createWebhook', { path: { org_id: orgId }, body })).body.id as string;
}

test('nothing is sent again, and the log says why a delivery was dropped', async () => {
  const { orgId } = api.own;
  const webhookId = await addWebhook(orgId);
  const send = async () => (await addMessage(api.db, orgId, api.clock.now())).id;
  const ask = (operation: 'getDelivery' | 'redeliver', messageId: string): Promise<Answer> =>
    api.call(operation, { path: { webhook_id: webhookId, message_id: messageId } });
  const id = await send();
  const key = { org_id: orgId, message_id: id, webhook_id: webhookId };
  await finishDelivery(api.db, key, { state: 'exhausted', attempts: 1 }, api.clock.now());
  // With one that is pending this webhook gets nothing beyond the quota.
  await send();
  await setQuota(0);
  const answer = await ask('redeliver', id);
  expect(refusal(answer)).toEqual([422, 'quota_reached']);
  expect(answer.body.detail).toContain('"pending_deliveries" is 0 pending deliveries a partner');
  expect((await ask('getDelivery', id)).body).toMatchObject({ state: 'exhausted' });
  const dropped = await send();
  expect((await ask('getDelivery', dropped)).body).toMatchObject({
    state: 'cancelled',
    cancel_reason: 'quota_reached',
    attempts: 0,
    finished_at: api.clock.now().toISOString(),
  });
  expect(refusal(await ask('redeliver', dropped))).toEqual([409, 'delivery_state_conflict']);
  await setQuota(undefined);
  expect((await ask('redeliver', id)).body).toMatchObject({ state: 'pending' });
});

test('an event of a device is written all the same, and what is dropped is counted', async () => {
  const now = api.clock.now();
  const fleet: SimulatedFleet = await addFleet(api.db, api.own.orgId, now);
  const userId = await addUser(api.db, fleet.orgId, now);
  const deviceId = await addDevice(api.db, { ...fleet, userId }, now);
  await addWebhook(fleet.orgId);
  await setQuota(0);
  const path = { job_id: fleet.fleetId, device_id: deviceId };
  // The first finds the webhook without a pending delivery.
  for (const code of ['device_offline', 'subscription_required'])
    expect((await api.call('triggerDeviceEvent', { path, body: { code } })).body).toMatchObject({
      changed: true,
    });
  const items = await api.call('listInformation', { path: { org_id: fleet.orgId } });
  expect(items.body.total).toBe(2);
  const rows = await api.db
    .selectFrom('deliveries')
    .select(['state', 'cancel_reason'])
    .where('org_id', '=', fleet.orgId)
    .orderBy('state')
    .execute();
  expect(rows).toEqual([
    { state: 'cancelled', cancel_reason: 'quota_reached' },
    { state: 'pending', cancel_reason: null },
  ]);
  expect(countCancelled.mock.calls).toEqual([['quota_reached', 1]]);
});
