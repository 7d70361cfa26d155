// A delivery that is sent again, with the dispatcher that sends it.
import { expect, test } from 'vitest';
import { RETRY_DELAYS_MS } from '../../../src/domain/notifications/retry.ts';
import { isServiceSignatureValid } from '../../../src/domain/notifications/signature.ts';
import {
  findDelivery,
  listDeliveryAttempts,
  readAttemptPhases,
  requeueDelivery,
} from '../../../src/queries/deliveries/delivery-log.ts';
import type { LoggedDelivery } from '../../../src/queries/deliveries/delivery-log.ts';
import type { Received } from '../../support/receiver.ts';
import {
  addMessage,
  addWebhook,
  finishDelivery,
  makeAllDue,
  readWaitMs,
  rotateTestSecret,
  webhookFixture,
  testDispatcher,
} from '../../support/webhook-fixture.ts';

const fixture = webhookFixture();

interface Sent {
  readonly webhookId: string;
  readonly messageId: string;
  readonly arrived: Received;
}

async function sendOnce(status: number): Promise<Sent> {
  const { db } = fixture.database;
  const { id: webhookId } = await addWebhook(db, fixture.orgId, fixture.receiver.url());
  const { id: messageId } = await addMessage(db, fixture.orgId, fixture.clock.now());
  fixture.receiver.answerNext({ status });
  await testDispatcher(fixture).processAll();
  return { webhookId, messageId, arrived: await fixture.receiver.next() };
}

const keyOf = ({ webhookId, messageId }: Sent) => ({ orgId: fixture.orgId, webhookId, messageId });

function reopen(sent: Sent, requestId?: string): Promise<LoggedDelivery | undefined> {
  return fixture.database.db
    .transaction()
    .execute((tx) => requeueDelivery(tx, keyOf(sent), fixture.clock.now(), requestId));
}

async function logOf(sent: Sent): Promise<unknown> {
  const delivery = await findDelivery(fixture.database.db, keyOf(sent));
  if (delivery === undefined) throw new Error('There is no such delivery.');
  const attempts = await listDeliveryAttempts(fixture.database.db, keyOf(sent));
  return {
    state: delivery.state,
    attempts: delivery.attempts,
    log: attempts.map(({ attempt, status_code, secret_version }) => [attempt, status_code, secret_version]),
  };
}

test('a delivered message goes out again byte for byte, under its id, signed with the secret of now', async () => {
  const sent = await sendOnce(204);
  const secret = await rotateTestSecret(fixture.database.db, fixture.orgId, sent.webhookId);
  fixture.clock.advance(3_600_000);
  expect(await reopen(sent)).toMatchObject({ state: 'pending', attempts: 1, due_at: fixture.clock.now() });
  fixture.receiver.answerNext({ status: 200 });
  await testDispatcher(fixture).processAll();
  const again = await fixture.receiver.next();
  expect(again.body.equals(sent.arrived.body)).toBe(true);
  expect(again.headers['webhook-id']).toBe(sent.messageId);
  const header = String(again.headers['service-signature']);
  expect(isServiceSignatureValid(secret, header, again.body, fixture.clock.now())).toBe(true);
  expect(await logOf(sent)).toEqual({
    state: 'delivered',
    attempts: 2,
    log: [
      [1, 204, 1],
      [2, 200, 2],
    ],
  });
});

test('an exhausted message gets one attempt each time, and its log goes on', async () => {
  const sent = await sendOnce(500);
  for (const waitMs of RETRY_DELAYS_MS) {
    fixture.clock.advance(waitMs);
    await makeAllDue(fixture);
    fixture.receiver.answerNext({ status: 500 });
    await testDispatcher(fixture).processAll();
    await fixture.receiver.next();
  }
  const all = RETRY_DELAYS_MS.length + 1;
  expect(await logOf(sent)).toMatchObject({ state: 'exhausted', attempts: all });
  for (const [status, state] of [
    [500, 'exhausted'],
    [200, 'delivered'],
  ] as const) {
    expect(await reopen(sent)).toMatchObject({ state: 'pending' });
    fixture.receiver.answerNext({ status });
    await testDispatcher(fixture).processAll();
    await fixture.receiver.next();
    expect(await logOf(sent)).toMatchObject({ state });
  }
  expect(await logOf(sent)).toMatchObject({ attempts: all + 2 });
});

test('of a message that was sent again and again the newest hundred attempts are read', async () => {
  const { db } = fixture.database;
  const { id: webhookId } = await addWebhook(db, fixture.orgId, fixture.receiver.url());
  const { id: messageId } = await addMessage(db, fixture.orgId, fixture.clock.now());
  const row = { org_id: fixture.orgId, message_id: messageId, webhook_id: webhookId };
  await finishDelivery(db, row, { state: 'delivered', attempts: 103 }, fixture.clock.now());
  const key = { orgId: fixture.orgId, webhookId, messageId };
  const newest = Array.from({ length: 100 }, (_, index) => index + 4);
  expect((await listDeliveryAttempts(db, key)).map(({ attempt }) => attempt)).toEqual(newest);
  const phases = [...(await readAttemptPhases(db, key)).keys()];
  expect(phases.sort((one, other) => one - other)).toEqual(newest);
  expect(await findDelivery(db, key)).toMatchObject({ attempts: 103 });
});

test('a repetition that fails is repeated as the schedule goes on', async () => {
  const sent = await sendOnce(204);
  await reopen(sent);
  const startedAt = performance.now();
  fixture.receiver.answerNext({ status: 503 });
  await testDispatcher(fixture).processAll();
  await fixture.receiver.next();
  const waiting = await findDelivery(fixture.database.db, keyOf(sent));
  expect(waiting).toMatchObject({ state: 'pending', attempts: 2, finished_at: null });
  const waitMs = await readWaitMs(fixture);
  expect(waitMs).toBeLessThanOrEqual((RETRY_DELAYS_MS[1] ?? 0) + 1);
  expect(waitMs + performance.now() - startedAt).toBeGreaterThanOrEqual(RETRY_DELAYS_MS[1] ?? 0);
});

test('each attempt shows the call that caused it, and its repetitions do', async () => {
  const sent = await sendOnce(204);
  await reopen(sent, 'call-0001');
  for (const status of [500, 204]) {
    fixture.receiver.answerNext({ status });
    await testDispatcher(fixture).processAll();
    await fixture.receiver.next();
    fixture.clock.advance(3_600_000);
    await makeAllDue(fixture);
  }
  await reopen(sent);
  await testDispatcher(fixture).processAll();
  const attempts = await listDeliveryAttempts(fixture.database.db, keyOf(sent));
  expect(attempts.map(({ request_id }) => request_id)).toEqual([null, 'call-0001', 'call-0001', null]);
});
