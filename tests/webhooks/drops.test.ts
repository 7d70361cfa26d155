import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Topic } from '../../src/domain/notifications/topics.ts';
import { insertMessageWithDeliveries } from '../../src/queries/deliveries/deliveries.ts';
import { softDeleteWebhook, updateWebhook } from '../../src/queries/deliveries/webhook-changes.ts';
import { type WebhookChange } from '../../src/queries/deliveries/webhooks.ts';
import type { Dispatcher } from '../../src/webhooks/dispatcher.ts';
import {
  addMessage,
  addWebhook,
  dumpDeliveries,
  makeAllDue,
  webhookFixture,
  testDispatcher,
} from '../support/webhook-fixture.ts';
import { lockWaits } from '../support/lock-waits.ts';

const fixture = webhookFixture();
const dispatcher = (): Dispatcher => testDispatcher(fixture);
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

test.each([
  ['disabling', 'disabled', (id: string) => change(id, { enabled: false })],
  ['removing', 'deleted', (id: string) => remove(id)],
  ['unsubscribing', 'topic_removed', (id: string) => change(id, { topics: ['device.action_required'] })],
])('%s a webhook drops its pending messages for good', async (_name, reason, apply) => {
  const { id } = await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
  await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url('/other'));
  await message();
  await apply(id);
  await change(id, { enabled: true, topics: ['device.information'] });
  await dispatcher().processAll();
  expect(fixture.receiver.received.map(({ path }) => path)).toEqual(['/other']);
  const found = (await dump()).map(({ state, cancel_reason }) => [state, cancel_reason]);
  expect(found.sort()).toEqual([
    ['cancelled', reason],
    ['delivered', null],
  ]);
});

test('unsubscribing keeps the messages of the other topics, and tells how many it dropped', async () => {
  const { id } = await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
  for (const type of ['device.information', 'device.action_required', 'device.information'] as const)
    await message(type);
  expect(await change(id, { topics: ['device.action_required'] })).toMatchObject({
    cancelled: { reason: 'topic_removed', count: 2 },
  });
  await dispatcher().processAll();
  expect(
    fixture.receiver.received.map(
      ({ body }) => (JSON.parse(body.toString()) as { message_type: string }).message_type,
    ),
  ).toEqual(['device.action_required']);
});

test.each([
  [500, { state: 'cancelled', cancel_reason: 'disabled', log: ['1 failed status 500 127.0.0.1 1'] }],
  [200, { state: 'delivered', cancel_reason: null, log: ['1 delivered  200 127.0.0.1 1'] }],
])(
  'an attempt in flight while its webhook is disabled, answered with %d, is logged and not repeated',
  async (status, end) => {
    const { id } = await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
    await message();
    const go = Promise.withResolvers<undefined>();
    fixture.receiver.answer = (_request, response) =>
      void go.promise.then(() => response.writeHead(status).end());
    const running = dispatcher();
    const done = running.processAll();
    await fixture.receiver.next();
    await change(id, { enabled: false });
    go.resolve(undefined);
    await done;
    expect(await dump()).toMatchObject([{ ...end, attempts: 1, isLeased: false }]);
    await makeAllDue(fixture);
    await running.processAll();
    expect(fixture.receiver.received.length).toBe(1);
  },
);

test('a disable that meets an event under way waits for it and drops its message', async () => {
  const { db } = fixture.database;
  const { id } = await addWebhook(db, fixture.orgId, fixture.receiver.url());
  const written = Promise.withResolvers<undefined>();
  const commit = Promise.withResolvers<undefined>();
  const event = db.transaction().execute(async (tx) => {
    const payload = Buffer.from('{}');
    const fields = { org_id: fixture.orgId, id: randomUUID(), message_type: 'device.information', payload };
    await insertMessageWithDeliveries(
      tx,
      { ...fields, occurred_at: fixture.clock.now() },
      fixture.clock.now(),
    );
    written.resolve(undefined);
    await commit.promise;
  });
  await written.promise;
  const disabled = change(id, { enabled: false });
  const waiting = async (): Promise<number> => {
    return (await fixture.database.pool.query(`select 1 from ${lockWaits()}`)).rowCount ?? 0;
  };
  while ((await waiting()) === 0);
  commit.resolve(undefined);
  await event;
  expect(await disabled).toMatchObject({ cancelled: { reason: 'disabled', count: 1 } });
  expect((await dump()).map(({ state }) => state)).toEqual(['cancelled']);
});

test('a pending delivery whose webhook does not want it is dropped and counted, not sent', async () => {
  await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
  await message();
  await fixture.database.pool.query('update webhooks set enabled = false');
  await dispatcher().processAll();
  expect(fixture.receiver.received).toEqual([]);
  expect(await dump()).toMatchObject([
    { state: 'cancelled', cancel_reason: 'disabled', isLeased: false, log: [] },
  ]);
  expect(fixture.seen.counted).toMatchObject({ attempted: 0, dropped: { disabled: 1 } });
});
