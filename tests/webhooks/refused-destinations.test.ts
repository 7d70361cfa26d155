// What the operator is told of webhooks that lead to addresses that must not be called.
import { afterEach, expect, test } from 'vitest';
import { createWebhookClient } from '../../src/compose/webhook-client.ts';
import { generateSigningSecret } from '../../src/domain/notifications/signature.ts';
import { RefusedDestinations } from '../../src/webhooks/refused-destinations.ts';
import type { RefusedAttempts } from '../../src/webhooks/refused-destinations.ts';
import { createWebhookTester } from '../../src/webhooks/test-sender.ts';
import type { WebhookClient } from '../../src/webhooks/webhook-client.ts';
import { RecordingLog } from '../support/secret-leaks.ts';
import { START } from '../support/webhook-fixture.ts';

const MINUTE_MS = 60_000;
const inside = { host: 'partner.example', reason: '10.0.0.1 is a private network.' };

/** What is told at each instant; `add` is an attempt of a webhook. */
function watch() {
  const told: RefusedAttempts[] = [];
  const at = { ms: 0 };
  const refused = new RefusedDestinations(
    (about) => told.push(about),
    () => at.ms,
  );
  const add = (webhookId: string, times = 1): void => {
    for (let n = 0; n < times; n += 1) refused.add({ webhookId, ...inside });
  };
  /** Whose, and how many attempts, since the last look. */
  const look = (): unknown[] => told.splice(0).map(({ webhookId, attempts }) => [webhookId, attempts]);
  return { at, add, look };
}

test('each webhook is told of once a minute, with the attempts since', () => {
  const { at, add, look } = watch();
  add('one', 1_000);
  add('two');
  expect(look()).toEqual([
    ['one', 1],
    ['two', 1],
  ]);
  at.ms = MINUTE_MS - 1;
  add('one', 500);
  expect(look()).toEqual([]);
  at.ms = MINUTE_MS;
  add('one', 3);
  add('two');
  expect(look()).toEqual([
    ['one', 1_500],
    ['two', 1],
  ]);
  at.ms = 2 * MINUTE_MS;
  add('one');
  expect(look()).toEqual([['one', 3]]);
});

test('10,000 webhooks are remembered, those that were told of or counted last', () => {
  const { add, look } = watch();
  add('kept');
  add('forgotten');
  for (let n = 0; n < 9_998; n += 1) add(`other ${n}`);
  add('kept');
  add('new');
  expect(look()).toHaveLength(10_001);
  add('kept');
  expect(look()).toEqual([]);
  add('forgotten');
  expect(look()).toEqual([['forgotten', 1]]);
});

let client: WebhookClient | undefined;
afterEach(() => client?.close());

test('the log has the host and the webhook of deliveries and tests, and nothing else of the address', async () => {
  const log = new RecordingLog();
  const addresses = [{ address: '10.0.0.1', family: 4 }];
  const made = createWebhookClient([], undefined, log, () => Promise.resolve(addresses));
  client = made;
  const secret = generateSigningSecret().reveal();
  const url = 'https://partner.example/hooks/s3cret-path?key=s3cret-query';
  const testWebhook = createWebhookTester({
    client: made,
    runInTurn: (_partner, work) => work(),
    now: () => START,
    newId: () => '0b0e3c1e-6f0e-4c63-9df5-0d1b7f5f0c11',
  });
  const send = (webhookId: string) => made.send({ webhookId, url, headers: {}, body: Buffer.from('{}') });
  const sendTest = (webhookId: string) =>
    testWebhook({ webhookId, url, secret, topic: 'device.information', partnerId: 'partner' });
  for (let n = 0; n < 20; n += 1) await send('delivered-to');
  for (let n = 0; n < 20; n += 1) await sendTest('tested');
  const lines = log.text.trimEnd().split('\n');
  const line = { level: 'info', message: 'A webhook was not called.', ...inside, attempts: 1 };
  expect(lines.map((text): unknown => JSON.parse(text))).toEqual([
    { ...line, webhook_id: 'delivered-to' },
    { ...line, webhook_id: 'tested' },
  ]);
  expect(log.text).not.toMatch(/s3cret|https/);
  // Whose endpoint it is hears of the host alone.
  const { detail } = await sendTest('tested');
  expect(detail).toBe('The address is not called: partner.example has an address that is not public.');
});
