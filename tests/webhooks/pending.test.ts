// What a change does to a thousand messages that wait, through the API, while the dispatcher runs.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isServiceSignatureValid } from '../../src/domain/notifications/signature.ts';
import { Secret } from '../../src/domain/security/secret.ts';
import { Dispatcher } from '../../src/webhooks/dispatcher.ts';
import type { WebhookClient } from '../../src/webhooks/webhook-client.ts';
import { startApi, type Api } from '../support/api.ts';
import { startReceiver, type Received, type Receiver } from '../support/receiver.ts';
import { addMessage, dumpDeliveries, loopbackClient, recordReports } from '../support/webhook-fixture.ts';

const perWebhook = 16;
const pending = 1_000;
const now = (): Date => new Date();

let api: Api;
let receiver: Receiver;
let client: WebhookClient;
let dispatcher: Dispatcher;
let seen: ReturnType<typeof recordReports>;
let webhook: { id: string; secret: string };
let go: PromiseWithResolvers<undefined>;

beforeEach(async () => {
  seen = recordReports();
  receiver = await startReceiver();
  const allowedNetworks = ['127.0.0.0/8'];
  api = await startApi({
    services: { allowedNetworks, countCancelled: (...args) => seen.metrics.deliveriesCancelled(...args) },
  });
  client = loopbackClient(receiver.ca, 15_000);
  dispatcher = new Dispatcher({
    db: api.db,
    client,
    keyring: api.services.keyring,
    now,
    random: () => 0.5,
    metrics: seen.metrics,
    onError: (error) => seen.errors.push(error),
    perWebhook,
    leaseMs: 60_000,
  });
  const body = { url: receiver.url(), topics: ['device.information'] };
  webhook = (await api.call('createWebhook', { body })).body;
  for (let each = 0; each < pending; each += 1) await addMessage(api.db, api.own.orgId, now());
  go = Promise.withResolvers();
  receiver.answer = (_request, response) => void go.promise.then(() => response.writeHead(204).end());
  await dispatcher.start();
  for (let each = 0; each < perWebhook; each += 1) await receiver.next();
});
afterEach(async () => {
  await dispatcher.stop();
  await client.close();
  await receiver.close();
  await api.close();
  expect(seen.errors).toEqual([]);
});

const change = (body: object) => api.call('updateWebhook', { path: { webhook_id: webhook.id }, body });

test('after the answer to a disable nothing arrives but what was in flight, and all else is dropped for good', async () => {
  expect((await change({ enabled: false })).status).toBe(200);
  go.resolve(undefined);
  await dispatcher.processAll();
  expect(receiver.received.length).toBe(perWebhook);
  expect((await change({ enabled: true })).status).toBe(200);
  dispatcher.wake();
  await dispatcher.processAll();
  expect(receiver.received.length).toBe(perWebhook);
  const states = (await dumpDeliveries(api.db, api.own.orgId)).map(
    ({ state, cancel_reason, isLeased }) => `${state} ${String(cancel_reason)} ${String(isLeased)}`,
  );
  expect(states.filter((each) => each === 'delivered null false').length).toBe(perWebhook);
  expect(states.filter((each) => each === 'cancelled disabled false').length).toBe(pending - perWebhook);
  // Those in flight count as dropped too: nobody knew yet that they would arrive.
  expect(seen.counted.dropped).toEqual({ disabled: pending });
  const fresh = await addMessage(api.db, api.own.orgId, now());
  dispatcher.wake();
  expect((await receiver.next()).headers['webhook-id']).toBe(fresh.id);
});

test('every attempt that starts after the answer to a rotation is signed with the new secret', async () => {
  const signedWith = (secret: string) => (request: Received) =>
    isServiceSignatureValid(
      new Secret(secret),
      String(request.headers['service-signature']),
      request.body,
      now(),
    );
  const rotated = await api.call('rotateWebhookSecret', { path: { webhook_id: webhook.id } });
  expect(rotated.status).toBe(200);
  const answeredAt = now();
  go.resolve(undefined);
  for (let each = perWebhook; each < pending; each += 1) await receiver.next();
  await dispatcher.processAll();
  expect(receiver.received.length).toBe(pending);
  expect(receiver.received.filter(signedWith(webhook.secret)).length).toBe(perWebhook);
  expect(receiver.received.filter(signedWith(rotated.body.secret)).length).toBe(pending - perWebhook);
  const attempts = await api.db
    .selectFrom('delivery_attempts')
    .select(['outcome', 'secret_version', 'started_at'])
    .execute();
  const later = attempts.filter(({ started_at: at }) => at >= answeredAt);
  expect(new Set(later.map(({ secret_version }) => secret_version))).toEqual(new Set([2]));
  // A claim that began before the answer may have waited for it in the database: it reads the new secret.
  const signedAnew = attempts.filter(({ secret_version: version }) => version === 2);
  expect(signedAnew.filter(({ outcome }) => outcome === 'delivered')).toHaveLength(pending - perWebhook);
});
