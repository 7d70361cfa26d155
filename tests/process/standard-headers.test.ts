// WEBHOOK_STANDARD_HEADERS, for deliveries and test messages alike.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startTrustedReceiver } from '../support/receiver.ts';
import type { Received, TrustedReceiver } from '../support/receiver.ts';
import { startServiceOnSharedServer } from '../support/service.ts';
import type { ServiceProcess } from '../support/service.ts';
import { addWebhook, fixedCredentials, PartnerApi, raise, runFleet } from './partner.ts';

let receiver: TrustedReceiver;
let service: ServiceProcess | undefined;
beforeAll(async () => {
  receiver = await startTrustedReceiver();
});
afterEach(() => service?.remove());
afterAll(async () => {
  await receiver.close();
});

/** A delivery and a test message of a service with these settings. */
async function messages(env: Record<string, string>): Promise<Received[]> {
  const fixed = fixedCredentials();
  service = await startServiceOnSharedServer({
    env: {
      ...fixed.env,
      SIMULATOR_FAULTS: 'off',
      ...receiver.env,
      ...env,
    },
  });
  const api = await PartnerApi.open(service, fixed);
  const fleet = await runFleet(api);
  await addWebhook(api, fleet, receiver.url());
  await raise(api, fleet, 'device_offline');
  const delivered = await receiver.next();
  const simulated = api.at({ orgId: fleet.simulationOrgId });
  const { body } = await simulated.call<{ items: { id: string }[] }>('GET', '/notifications/webhooks');
  const path = `/notifications/webhooks/${body.items[0]?.id ?? ''}/test`;
  const answer = await simulated.call('POST', path, { topic: 'device.information' });
  expect(answer.body).toMatchObject({ outcome: 'delivered' });
  return [delivered, await receiver.next()];
}

test.each([
  ['as usual', {}, ['webhook-id', 'webhook-signature', 'webhook-timestamp']],
  ['when off', { WEBHOOK_STANDARD_HEADERS: 'off' }, []],
])('the headers of Standard Webhooks, %s', async (_, env, names) => {
  for (const { headers } of await messages(env)) {
    const found = Object.keys(headers).filter((name) => name.startsWith('webhook-'));
    expect(found.toSorted()).toEqual(names);
    expect(headers['service-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
  }
});
