import { createHmac, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKeyring } from '../../src/domain/security/encryption.ts';
import { isServiceSignatureValid } from '../../src/domain/notifications/signature.ts';
import {
  softDeleteWebhook,
  updateWebhook,
  type WebhookChange,
} from '../../src/queries/deliveries/webhooks.ts';
import type { Topic } from '../../src/domain/notifications/topics.ts';
import type { Dispatcher, DispatcherOptions } from '../../src/webhooks/dispatcher.ts';
import { startReceiver, type Received } from '../support/receiver.ts';
import {
  addMessage,
  addOrganization,
  addWebhook,
  dumpDeliveries,
  loopbackExchange,
  rotate,
  stage,
  testDispatcher,
} from '../support/webhooks.ts';

const on = stage();
const dispatcher = (options: Partial<DispatcherOptions> = {}): Dispatcher => testDispatcher(on, options);
const message = (type?: Topic) => addMessage(on.database.db, on.orgId, on.clock.now(), type);
const dump = () => dumpDeliveries(on.database.db, on.orgId);
const change = (id: string, to: WebhookChange) =>
  on.database.db.transaction().execute((tx) => updateWebhook(tx, on.orgId, id, to, on.clock.now()));
const remove = (id: string) =>
  on.database.db.transaction().execute((tx) => softDeleteWebhook(tx, on.orgId, id, on.clock.now()));

const nothing: Pick<Received, 'body' | 'headers'> = { body: Buffer.of(), headers: {} };

test('a message arrives as it was written, signed both ways, without any internal identifier', async () => {
  const { id: webhookId, secret } = await addWebhook(on.database.db, on.orgId, on.receiver.url());
  const { id: messageId, payload } = await message();
  await dispatcher().processAll();
  const { body, headers, rawHeaders } = await on.receiver.next();
  expect(body).toEqual(payload);
  const t = String(on.clock.now().getTime() / 1000);
  const key = Buffer.from(secret.reveal().slice('whsec_'.length), 'base64');
  expect(headers).toEqual({
    host: `localhost:${on.receiver.port}`,
    connection: 'keep-alive',
    'content-length': String(payload.length),
    'content-type': 'application/json',
    'user-agent': 'Service-Notifications/1.0',
    'service-signature': expect.stringMatching(`^t=${t},v1=[0-9a-f]{64}$`),
    'webhook-id': messageId,
    'webhook-timestamp': t,
    'webhook-signature': `v1,${createHmac('sha256', key).update(`${messageId}.${t}.${payload.toString()}`).digest('base64')}`,
  });
  expect(isServiceSignatureValid(secret, String(headers['service-signature']), body, on.clock.now())).toBe(
    true,
  );
  const everything = [body.toString(), ...rawHeaders].join('\n');
  for (const internal of [webhookId, on.orgId]) expect(everything).not.toContain(internal);
  expect(await dump()).toEqual([
    {
      message_id: messageId,
      state: 'delivered',
      attempts: 1,
      due_at: expect.any(Date),
      cancel_reason: null,
      isLeased: false,
      log: ['1 delivered  204 127.0.0.1 1'],
    },
  ]);
});

test('the Standard Webhooks headers can be left out', async () => {
  await addWebhook(on.database.db, on.orgId, on.receiver.url());
  await message();
  await dispatcher({ hasStandardHeaders: false }).processAll();
  expect(
    Object.keys((await on.receiver.next()).headers).filter((name) => name.startsWith('webhook-')),
  ).toEqual([]);
});

test('a message goes to the enabled webhooks of its organization that are subscribed to its topic', async () => {
  const { db } = on.database;
  await addWebhook(db, on.orgId, on.receiver.url('/both'));
  await addWebhook(db, on.orgId, on.receiver.url('/information'), ['device.information']);
  await addWebhook(db, on.orgId, on.receiver.url('/action'), ['device.action_required']);
  await addWebhook(db, on.orgId, on.receiver.url('/none'), []);
  await addWebhook(db, await addOrganization(db), on.receiver.url('/foreign'));
  const disabled = await addWebhook(db, on.orgId, on.receiver.url('/disabled'));
  await change(disabled.id, { enabled: false });
  const removed = await addWebhook(db, on.orgId, on.receiver.url('/removed'));
  await remove(removed.id);
  expect((await message()).deliveries).toBe(2);
  await dispatcher().processAll();
  expect(on.receiver.received.map(({ path }) => path).sort()).toEqual(['/both', '/information']);
});

test('a failed delivery is repeated by the schedule, the same message each time, until it is exhausted', async () => {
  const { secret } = await addWebhook(on.database.db, on.orgId, on.receiver.url());
  const { payload } = await message();
  on.receiver.answer = { status: 500 };
  const running = dispatcher();
  await running.processAll();
  for (const seconds of [5, 30, 120, 600, 1800, 7200, 21600, 43200, 86400]) {
    const before = on.receiver.received.length;
    on.clock.advance((seconds - 1) * 1_000);
    await running.processAll();
    expect(on.receiver.received.length).toBe(before);
    on.clock.advance(1_000);
    await running.processAll();
    expect(on.receiver.received.length).toBe(before + 1);
    const { body, headers } = on.receiver.received.at(-1) ?? nothing;
    expect(body).toEqual(payload);
    expect(
      isServiceSignatureValid(secret, String(headers['service-signature']), payload, on.clock.now()),
    ).toBe(true);
  }
  expect(await dump()).toMatchObject([{ state: 'exhausted', attempts: 10, isLeased: false }]);
  on.clock.advance(1e9);
  await running.processAll();
  expect(on.receiver.received.length).toBe(10);
  expect(on.seen.counted).toMatchObject({ attempted: 10, exhausted: 1 });
});

test('Retry-After lengthens the wait, and a 2xx ends the repetition', async () => {
  await addWebhook(on.database.db, on.orgId, on.receiver.url());
  await message();
  on.receiver.answerNext({ status: 503, headers: { 'Retry-After': '100' } });
  const running = dispatcher();
  await running.processAll();
  on.clock.advance(99_000);
  await running.processAll();
  expect(on.receiver.received.length).toBe(1);
  on.clock.advance(1_000);
  await running.processAll();
  expect(await dump()).toMatchObject([
    { state: 'delivered', log: ['1 failed status 503 127.0.0.1 1', '2 delivered  204 127.0.0.1 1'] },
  ]);
});

test('a retry is signed with the secret that is live then', async () => {
  const { id, secret } = await addWebhook(on.database.db, on.orgId, on.receiver.url());
  await message();
  on.receiver.answerNext({ status: 500 });
  const running = dispatcher();
  await running.processAll();
  const fresh = await rotate(on.database.db, on.orgId, id);
  on.clock.advance(5_000);
  await running.processAll();
  const { body, headers } = on.receiver.received[1] ?? nothing;
  const header = String(headers['service-signature']);
  expect([fresh, secret].map((each) => isServiceSignatureValid(each, header, body, on.clock.now()))).toEqual([
    true,
    false,
  ]);
  expect((await dump())[0]?.log).toEqual(['1 failed status 500 127.0.0.1 1', '2 delivered  204 127.0.0.1 2']);
});

test('a secret whose key is lost fails the attempt, and the next one is made with the key back', async () => {
  await addWebhook(on.database.db, on.orgId, on.receiver.url());
  await message();
  await dispatcher({ keyring: createKeyring(randomBytes(32)) }).processAll();
  expect(await dump()).toMatchObject([
    { state: 'pending', attempts: 1, isLeased: false, log: ['1 failed secret   1'] },
  ]);
  expect(on.seen.errors.splice(0).map(String)).toEqual([
    expect.stringContaining('is not configured (ENCRYPTION_KEY_PREVIOUS)'),
  ]);
  on.clock.advance(5_000);
  await dispatcher().processAll();
  expect(await dump()).toMatchObject([
    { state: 'delivered', log: ['1 failed secret   1', '2 delivered  204 127.0.0.1 1'] },
  ]);
});

test('every kind of failure is logged with its class and repeated', async () => {
  const { db } = on.database;
  const stranger = await startReceiver();
  on.receiver.answer = ({ path }, response) => {
    if (path !== '/hang') response.writeHead(302, { Location: on.receiver.url('/elsewhere') }).end();
  };
  const urls = [
    on.receiver.url('/redirect'),
    on.receiver.url('/hang'),
    stranger.url('/'),
    'https://10.0.0.1/',
  ];
  for (const url of urls) await addWebhook(db, on.orgId, url);
  await message();
  const short = loopbackExchange(on.receiver.ca, 300);
  await dispatcher({ exchange: short }).processAll();
  const found = await dump();
  expect(found.map(({ log }) => log.join()).sort()).toEqual([
    '1 failed redirect 302 127.0.0.1 1',
    '1 failed refused_address   1',
    '1 failed timeout  127.0.0.1 1',
    '1 failed tls   1',
  ]);
  const due = {
    state: 'pending',
    attempts: 1,
    isLeased: false,
    due_at: new Date(on.clock.now().getTime() + 5_000),
  };
  expect(found).toMatchObject([due, due, due, due]);
  expect(on.receiver.received.map(({ path }) => path)).not.toContain('/elsewhere');
  await short.destroy();
  await stranger.close();
});
