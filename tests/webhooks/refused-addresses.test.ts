// Every class of address that is never called, and every odd spelling, at each of the three doors.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import { encrypt, webhookSecretContext } from '../../src/domain/security/encryption.ts';
import { generateSigningSecret } from '../../src/domain/notifications/signature.ts';
import { insertWebhook } from '../../src/queries/deliveries/webhooks.ts';
import { Dispatcher } from '../../src/webhooks/dispatcher.ts';
import { WebhookClient } from '../../src/webhooks/webhook-client.ts';
import { createWebhookTester } from '../../src/webhooks/test-sender.ts';
import { startApi, type Api } from '../support/api.ts';
import { addMessage, dumpDeliveries, recordReports } from '../support/webhook-fixture.ts';

const ipv4 = [
  '0.0.0.0',
  '10.255.255.255',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
];
const ipv6 = [
  '::',
  '::1',
  '::7f00:1',
  '::a9fe:a9fe',
  '::ffff:10.0.0.1',
  '::ffff:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '2a00::5efe:7f00:1',
];
const spellings = [
  '2130706433',
  '0x7f000001',
  '017700000001',
  '0177.0.0.1',
  '0x7f.0.0.1',
  '127.1',
  '127.0.1',
  '127.0.0.1.',
  '１２７.0.0.1',
  '127。0。0。1',
  'localhost',
  'LOCALHOST.',
  'a.localhost',
  '[::FFFF:7F00:1]',
  '[0:0:0:0:0:0:0:1]',
];
const hosts = [...ipv4, ...ipv6.map((each) => `[${each}]`), ...spellings];

let api: Api;
let trap: Server;
let client: WebhookClient;
let connections = 0;
const seen = recordReports();

beforeAll(async () => {
  // Whatever would be called by mistake on this machine is heard here.
  trap = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => trap.listen(0, '::', resolve));
  client = new WebhookClient({ lookup: async () => [{ address: '127.0.0.1', family: 4 }] });
  const testWebhook = createWebhookTester({
    client,
    runInTurn: (_partner, work) => work(),
    now: () => new Date(),
    newId: randomUUID,
  });
  api = await startApi({ services: { testWebhook } });
});
afterAll(async () => {
  await client.close();
  await api.close();
  await new Promise((resolve) => trap.close(resolve));
});

const urlOf = (host: string): string => `https://${host}:${(trap.address() as AddressInfo).port}/hook`;

/** As if it had been registered before the address became forbidden. */
async function addUnchecked(url: string): Promise<string> {
  const id = randomUUID();
  const secret = encrypt(api.services.keyring, generateSigningSecret(), webhookSecretContext(id));
  await insertWebhook(
    api.db,
    { org_id: api.own.orgId, id, url, topics: ['device.information'], secret },
    api.clock.now(),
  );
  return id;
}

test.each(hosts)('%s is refused when a webhook is created', async (host) => {
  const answer = await api.call('createWebhook', { body: { url: urlOf(host), topics: [] } });
  expect(answer.status).toBe(422);
  expect(answer.body.errors).toMatchObject([{ pointer: '/url', code: 'forbidden_address' }]);
});

test.each(hosts)('%s is refused by a test message', async (host) => {
  const id = await addUnchecked(urlOf(host));
  const answer = await api.call('testWebhook', {
    path: { webhook_id: id },
    body: { topic: 'device.information' },
  });
  await api.call('deleteWebhook', { path: { webhook_id: id } });
  expect(answer.body).toEqual({
    outcome: 'failed',
    status_code: null,
    detail: expect.stringContaining('not called'),
  });
});

test('all are refused by the delivery, and nothing has been called', async () => {
  for (const host of [...hosts, 'partner.example']) await addUnchecked(urlOf(host));
  await addMessage(api.db, api.own.orgId, api.clock.now());
  await new Dispatcher({
    db: api.db,
    client,
    keyring: api.services.keyring,
    now: api.clock.now,
    random: () => 0.5,
    metrics: seen.metrics,
    onError: (error) => seen.errors.push(error),
  }).processAll();
  const logs = (await dumpDeliveries(api.db, api.own.orgId)).map(({ state, log }) => [state, ...log]);
  expect(logs.length).toBe(hosts.length + 1);
  expect(new Set(logs.map((each) => each.join()))).toEqual(new Set(['pending,1 failed refused_address   1']));
  expect(seen.errors).toEqual([]);
  expect(connections).toBe(0);
  // The control: a call would have been heard.
  await once(connect((trap.address() as AddressInfo).port, '127.0.0.1').resume(), 'close');
  expect(connections).toBe(1);
});
