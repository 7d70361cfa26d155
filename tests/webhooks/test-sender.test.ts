import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateSigningSecret, isServiceSignatureValid } from '../../src/domain/notifications/signature.ts';
import type { WebhookTester } from '../../src/domain/notifications/webhook-test.ts';
import type { WebhookClient } from '../../src/webhooks/webhook-client.ts';
import { FairShare } from '../../src/shares/fair-share.ts';
import { createWebhookTester } from '../../src/webhooks/test-sender.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { TestClock } from '../support/clock.ts';
import { loopbackClient, START } from '../support/webhook-fixture.ts';

const clock = new TestClock(START);
const secret = generateSigningSecret();
const share = new FairShare({ capacity: 4, maxWaiting: 8, waitMs: 50 });
const newId = (): string => '0b0e3c1e-6f0e-4c63-9df5-0d1b7f5f0c11';
const webhookId = '5d3c9a70-1c1b-4a57-9f5e-2f8f1d7be001';
let receiver: Receiver;
let client: WebhookClient;
let testWebhook: WebhookTester;

beforeAll(async () => {
  receiver = await startReceiver();
  client = loopbackClient(receiver.ca, 300);
  testWebhook = createWebhookTester({
    client,
    runInTurn: (partnerId, work) => share.run(partnerId, work),
    now: clock.now,
    newId,
  });
});
afterAll(async () => {
  await client.close();
  await receiver.close();
});

const run = (url = receiver.url(), partnerId = 'one') =>
  testWebhook({ webhookId, url, secret: secret.reveal(), topic: 'device.information', partnerId });

test('a test message is of the type service.test, names its topic and is signed like any other', async () => {
  expect(await run()).toEqual({ outcome: 'delivered', status_code: 204, detail: null });
  const { body, headers } = await receiver.next();
  expect(JSON.parse(body.toString())).toEqual({
    message_id: newId(),
    message_type: 'service.test',
    schema_version: 1,
    occurred_at: '2026-03-01T12:00:00.000Z',
    data: { topic: 'device.information' },
  });
  expect(isServiceSignatureValid(secret, String(headers['service-signature']), body, clock.now())).toBe(true);
});

test.each([
  [{ status: 500 }, 'The endpoint answered with status 500; only 2xx accepts a message.'],
  [
    { status: 308, headers: { Location: '/' } },
    'The endpoint answered with the redirect 308; redirects are not followed.',
  ],
  ['hang', 'The endpoint did not answer within 0.3 seconds.'],
] as const)(
  'an endpoint that does not accept the message fails the test, with the reason',
  async (answer, detail) => {
    const before = receiver.received.length;
    receiver.answerNext(answer);
    expect(await run()).toEqual({ outcome: 'failed', status_code: null, detail });
    expect(receiver.received.length).toBe(before + 1);
  },
);

test('an address that is never called fails the test unseen', async () => {
  expect(await run('https://10.0.0.1/')).toEqual({
    outcome: 'failed',
    status_code: null,
    detail: 'The address is not called: 10.0.0.1 is a private network.',
  });
});

test('a flood of tests against an endpoint that never answers is refused, and another partner has its turn', async () => {
  receiver.answer = 'hang';
  const flood = Promise.allSettled(Array.from({ length: 400 }, () => run()));
  const other = run(receiver.url(), 'another');
  expect(await other).toMatchObject({ detail: 'The endpoint did not answer within 0.3 seconds.' });
  const results = await flood;
  receiver.answer = { status: 204 };
  const refused = results.filter(({ status }) => status === 'rejected');
  // Three of four at once are one partner's; the eight that may wait do so for less time than a test takes.
  expect(refused).toHaveLength(400 - 3);
  for (const result of refused) expect(result).toMatchObject({ reason: { code: 'overloaded' } });
});
