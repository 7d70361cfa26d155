import { createHmac, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKeyring } from '../../src/domain/security/encryption.ts';
import { isServiceSignatureValid } from '../../src/domain/notifications/signature.ts';
import { softDeleteWebhook, updateWebhook } from '../../src/queries/deliveries/webhook-changes.ts';
import { type WebhookChange } from '../../src/queries/deliveries/webhooks.ts';
import type { Topic } from '../../src/domain/notifications/topics.ts';
import type { Dispatcher, DispatcherOptions } from '../../src/webhooks/dispatcher.ts';
import { startReceiver, type Received } from '../support/receiver.ts';
import {
  addMessage,
  addOrganization,
  addWebhook,
  dumpDeliveries,
  loopbackClient,
  makeAllDue,
  readWaitsMs,
  rotateTestSecret,
  webhookFixture,
  testDispatcher,
} from '../support/webhook-fixture.ts';

const fixture = webhookFixture();
const dispatcher = (options: Partial<DispatcherOptions> = {}): Dispatcher => testDispatcher(fixture, options);
const message = (type?: Topic) => addMessage(fixture.database.db, fixture.orgId, fixture.clock.now(), type);
const dump = () => dumpDeliveries(fixture.database.db, fixture.orgId);
const change = (id: string, to: WebhookChange) =>
  fixture.database.db
    .transaction()
    .execute((tx) => updateWebhook(tx, fixture.orgId, id, to, fixture.clock.now()));
const remove = (id: string) =>
  fixture.database.db
    .transaction()
    .execute((tx) => softDeleteWebhook(tx, fixture.orgId, id, fixture.clock.now()));

/** So many retries wait this long each from the recording of an attempt on that began at `startedAt` or later. */
async function expectWait(seconds: number, startedAt: number, count = 1): Promise<void> {
  const waitsMs = await readWaitsMs(fixture);
  expect(waitsMs).toHaveLength(count);
  expect(Math.max(...waitsMs)).toBeLessThanOrEqual(seconds * 1_000 + 1);
  expect(Math.min(...waitsMs) + performance.now() - startedAt).toBeGreaterThanOrEqual(seconds * 1_000);
}

const nothing: Pick<Received, 'body' | 'headers'> = { body: Buffer.of(), headers: {} };

test('a message arrives as it was written, signed both ways, without any internal identifier', async () => {
  const { id: webhookId, secret } = await addWebhook(
    fixture.database.db,
    fixture.orgId,
    fixture.receiver.url(),
  );
  const { id: messageId, payload } = await message();
  await dispatcher().processAll();
  const { body, headers, rawHeaders } = await fixture.receiver.next();
  expect(body).toEqual(payload);
  const t = String(fixture.clock.now().getTime() / 1000);
  const key = Buffer.from(secret.reveal().slice('whsec_'.length), 'base64');
  expect(headers).toEqual({
    host: `localhost:${fixture.receiver.port}`,
    connection: 'keep-alive',
    'content-length': String(payload.length),
    'content-type': 'application/json',
    'user-agent': 'Service-Notifications/1.0',
    'service-signature': expect.stringMatching(`^t=${t},v1=[0-9a-f]{64}$`),
    'webhook-id': messageId,
    'webhook-timestamp': t,
    'webhook-signature': `v1,${createHmac('sha256', key).update(`${messageId}.${t}.${payload.toString()}`).digest('base64')}`,
  });
  expect(
    isServiceSignatureValid(secret, String(headers['service-signature']), body, fixture.clock.now()),
  ).toBe(true);
  const everything = [body.toString(), ...rawHeaders].join('\n');
  for (const internal of [webhookId, fixture.orgId]) expect(everything).not.toContain(internal);
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
  await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
  await message();
  await dispatcher({ hasStandardHeaders: false }).processAll();
  expect(
    Object.keys((await fixture.receiver.next()).headers).filter((name) => name.startsWith('webhook-')),
  ).toEqual([]);
});

test('a message goes to the enabled webhooks of its organization that are subscribed to its topic', async () => {
  const { db } = fixture.database;
  await addWebhook(db, fixture.orgId, fixture.receiver.url('/both'));
  await addWebhook(db, fixture.orgId, fixture.receiver.url('/information'), ['device.information']);
  await addWebhook(db, fixture.orgId, fixture.receiver.url('/action'), ['device.action_required']);
  await addWebhook(db, fixture.orgId, fixture.receiver.url('/none'), []);
  await addWebhook(db, await addOrganization(db), fixture.receiver.url('/foreign'));
  const disabled = await addWebhook(db, fixture.orgId, fixture.receiver.url('/disabled'));
  await change(disabled.id, { enabled: false });
  const removed = await addWebhook(db, fixture.orgId, fixture.receiver.url('/removed'));
  await remove(removed.id);
  expect((await message()).deliveries).toBe(2);
  await dispatcher().processAll();
  expect(fixture.receiver.received.map(({ path }) => path).sort()).toEqual(['/both', '/information']);
});

test('a failed delivery is repeated by the schedule, the same message each time, until it is exhausted', async () => {
  const { secret } = await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
  const { payload } = await message();
  fixture.receiver.answer = { status: 500 };
  const running = dispatcher();
  let startedAt = performance.now();
  await running.processAll();
  for (const seconds of [5, 30, 120, 600, 1800, 7200, 21600, 43200, 86400]) {
    const before = fixture.receiver.received.length;
    await expectWait(seconds, startedAt);
    fixture.clock.advance(seconds * 1_000);
    await makeAllDue(fixture);
    startedAt = performance.now();
    await running.processAll();
    expect(fixture.receiver.received.length).toBe(before + 1);
    const { body, headers } = fixture.receiver.received.at(-1) ?? nothing;
    expect(body).toEqual(payload);
    expect(
      isServiceSignatureValid(secret, String(headers['service-signature']), payload, fixture.clock.now()),
    ).toBe(true);
  }
  expect(await dump()).toMatchObject([{ state: 'exhausted', attempts: 10, isLeased: false }]);
  await makeAllDue(fixture);
  await running.processAll();
  expect(fixture.receiver.received.length).toBe(10);
  expect(fixture.seen.counted).toMatchObject({ attempted: 10, exhausted: 1 });
});

test('Retry-After lengthens the wait, and a 2xx ends the repetition', async () => {
  await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
  await message();
  fixture.receiver.answerNext({ status: 503, headers: { 'Retry-After': '100' } });
  const running = dispatcher();
  const startedAt = performance.now();
  await running.processAll();
  await expectWait(100, startedAt);
  await makeAllDue(fixture);
  await running.processAll();
  expect(await dump()).toMatchObject([
    { state: 'delivered', log: ['1 failed status 503 127.0.0.1 1', '2 delivered  204 127.0.0.1 1'] },
  ]);
});

test('a retry is signed with the secret that is live then', async () => {
  const { id, secret } = await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
  await message();
  fixture.receiver.answerNext({ status: 500 });
  const running = dispatcher();
  await running.processAll();
  const fresh = await rotateTestSecret(fixture.database.db, fixture.orgId, id);
  fixture.clock.advance(5_000);
  await makeAllDue(fixture);
  await running.processAll();
  const { body, headers } = fixture.receiver.received[1] ?? nothing;
  const header = String(headers['service-signature']);
  expect(
    [fresh, secret].map((each) => isServiceSignatureValid(each, header, body, fixture.clock.now())),
  ).toEqual([true, false]);
  expect((await dump())[0]?.log).toEqual(['1 failed status 500 127.0.0.1 1', '2 delivered  204 127.0.0.1 2']);
});

test('a secret whose key is lost fails the attempt, and the next one is made with the key back', async () => {
  await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
  await message();
  await dispatcher({ keyring: createKeyring(randomBytes(32)) }).processAll();
  expect(await dump()).toMatchObject([
    { state: 'pending', attempts: 1, isLeased: false, log: ['1 failed secret   1'] },
  ]);
  expect(fixture.seen.errors.splice(0).map(String)).toEqual([
    expect.stringContaining('is not configured (ENCRYPTION_KEY_PREVIOUS)'),
  ]);
  fixture.clock.advance(5_000);
  await makeAllDue(fixture);
  await dispatcher().processAll();
  expect(await dump()).toMatchObject([
    { state: 'delivered', log: ['1 failed secret   1', '2 delivered  204 127.0.0.1 1'] },
  ]);
});

test('every kind of failure is logged with its class and repeated', async () => {
  const { db } = fixture.database;
  const stranger = await startReceiver();
  fixture.receiver.answer = ({ path }, response) => {
    if (path !== '/hang') response.writeHead(302, { Location: fixture.receiver.url('/elsewhere') }).end();
  };
  const urls = [
    fixture.receiver.url('/redirect'),
    fixture.receiver.url('/hang'),
    stranger.url('/'),
    'https://10.0.0.1/',
  ];
  for (const url of urls) await addWebhook(db, fixture.orgId, url);
  await message();
  const short = loopbackClient(fixture.receiver.ca, 300);
  const startedAt = performance.now();
  await dispatcher({ client: short }).processAll();
  await expectWait(5, startedAt, urls.length);
  const found = await dump();
  expect(found.map(({ log }) => log.join()).sort()).toEqual([
    '1 failed redirect 302 127.0.0.1 1',
    '1 failed refused_address   1',
    '1 failed timeout  127.0.0.1 1',
    '1 failed tls   1',
  ]);
  const due = { state: 'pending', attempts: 1, isLeased: false };
  expect(found).toMatchObject([due, due, due, due]);
  expect(fixture.receiver.received.map(({ path }) => path)).not.toContain('/elsewhere');
  await short.close();
  await stranger.close();
});
