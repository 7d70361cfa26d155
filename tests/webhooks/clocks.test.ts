// Workers whose clocks differ: the database's clock says what is due and when a lease is over.
import { expect, test } from 'vitest';
import { startWorkerPresence } from '../../src/queries/connection/worker-presence.ts';
import type { Dispatcher } from '../../src/webhooks/dispatcher.ts';
import {
  addMessage,
  addWebhook,
  countById,
  dumpDeliveries,
  readWaitMs,
  START,
  testDispatcher,
  webhookFixture,
} from '../support/webhook-fixture.ts';
import { TestClock } from '../support/clock.ts';

const MESSAGES = 30;
const WEBHOOKS = 10;
/** The slots of a worker that a partner alone may use; two more are kept. */
const SLOTS = 16;

const fixture = webhookFixture(19_000);

/** A worker whose clock is so many seconds ahead of that of the test. */
function worker(seconds: number): Dispatcher {
  const clock = new TestClock(START);
  clock.advance(seconds * 1_000);
  const { database, seen } = fixture;
  return testDispatcher(fixture, {
    now: clock.now,
    slots: { first: SLOTS + 2, retry: SLOTS + 2 },
    leaseMs: 20_000,
    presence: () =>
      startWorkerPresence(database.connection, (error: unknown) => void seen.errors.push(error)),
  });
}

test.each([
  ['ahead', 0, 30],
  ['behind', 30, 0],
])('a second worker whose clock is 30 s %s repeats nothing of the first one', async (_name, one, other) => {
  for (let each = 0; each < WEBHOOKS; each += 1)
    await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url(`/${each}`));
  for (let each = 0; each < MESSAGES; each += 1) await addMessage(fixture.database.db, fixture.orgId, START);
  const bothAreFull = Promise.withResolvers<undefined>();
  fixture.receiver.answer = (_request, response) => {
    if (fixture.receiver.received.length === 2 * SLOTS) bothAreFull.resolve(undefined);
    void bothAreFull.promise.then(() => response.writeHead(204).end());
  };
  const [first, second] = [worker(one), worker(other)];
  await first.start();
  for (let each = 0; each < SLOTS; each += 1) await fixture.receiver.next();
  await second.start();
  await Promise.all([first.processAll(), second.processAll()]);
  const delivered = () => fixture.seen.counted.delivered;
  await expect.poll(delivered).toBe(MESSAGES * WEBHOOKS);
  await Promise.all([first.stop(), second.stop()]);
  expect(fixture.receiver.received.length).toBe(MESSAGES * WEBHOOKS);
  expect(countById(fixture.receiver.received)).toEqual(Array.from({ length: MESSAGES }, () => WEBHOOKS));
  expect(fixture.seen.counted).toMatchObject({ delivered: MESSAGES * WEBHOOKS, superseded: 0 });
});

test('a worker whose clock is ahead repeats nothing early, and what a process ahead writes is due at once', async () => {
  await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
  await addMessage(fixture.database.db, fixture.orgId, new Date(Date.now() + 3_600_000));
  fixture.receiver.answerNext({ status: 500 });
  await worker(0).processAll();
  expect(fixture.receiver.received.length).toBe(1);
  expect(await readWaitMs(fixture)).toBeLessThanOrEqual(5_001);
  await fixture.database.pool.query("update deliveries set due_at = now() + interval '1 hour'");
  await worker(1e9).processAll();
  expect(fixture.receiver.received.length).toBe(1);
  expect(await dumpDeliveries(fixture.database.db, fixture.orgId)).toMatchObject([
    { state: 'pending', attempts: 1, isLeased: false },
  ]);
});
