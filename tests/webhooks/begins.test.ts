// How attempts begin that are due at once: after an outage 256 of them wait for a slot.
import { expect, test } from 'vitest';
import { WebhookClient } from '../../src/webhooks/webhook-client.ts';
import type { SendRequest, SendResult } from '../../src/webhooks/webhook-client.ts';
import { addMessage, addWebhook, testDispatcher, webhookFixture } from '../support/webhook-fixture.ts';

const fixture = webhookFixture();

test('of many attempts that are due a turn of the event loop begins some, with others served between', async () => {
  const { database, orgId, clock, receiver } = fixture;
  for (let webhook = 0; webhook < 4; webhook += 1) await addWebhook(database.db, orgId, receiver.url());
  for (let message = 0; message < 16; message += 1) await addMessage(database.db, orgId, clock.now());
  let [turn, nowMs, isOver] = [0, 0, false];
  const begunIn = new Map<number, number>();
  const count = (): void => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  /** Each attempt takes a millisecond to begin. */
  class SlowClient extends WebhookClient {
    override send(request: SendRequest): Promise<SendResult> {
      nowMs += 1;
      begunIn.set(turn, (begunIn.get(turn) ?? 0) + 1);
      return super.send(request);
    }
  }
  const lookup = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
  const client = new SlowClient({ lookup, allowedNetworks: ['127.0.0.0/8'], extraCa: receiver.ca });
  await testDispatcher(fixture, { client, monotonicMs: () => nowMs }).processAll();
  isOver = true;
  await client.close();
  expect(fixture.seen.counted).toMatchObject({ attempted: 64, delivered: 64 });
  // The count of turns and the beginnings are of one phase of the event loop, in either order.
  expect(Math.max(...begunIn.values())).toBeLessThanOrEqual(2);
});
