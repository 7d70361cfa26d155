import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { claimDeliveries } from '../../src/queries/deliveries/delivery-queue.ts';
import { DELIVERIES_CHANNEL, notifyDispatchers } from '../../src/queries/deliveries/deliveries.ts';
import { listenOnChannel } from '../../src/queries/connection/listen.ts';
import { startWorkerPresence, type WorkerPresence } from '../../src/queries/connection/worker-presence.ts';
import type { Dispatcher, DispatcherOptions } from '../../src/webhooks/dispatcher.ts';
import { OWN_LOCKS } from '../support/database.ts';
import { startReceiver } from '../support/receiver.ts';
import {
  addMessage,
  addWebhook,
  countById,
  dumpDeliveries,
  endLeases,
  loopbackClient,
  webhookFixture,
  testDispatcher,
} from '../support/webhook-fixture.ts';

const fixture = webhookFixture(5_000);
const real = { now: (): Date => new Date() };
const dispatcher = (options: Partial<DispatcherOptions> = {}): Dispatcher => testDispatcher(fixture, options);
const dump = () => dumpDeliveries(fixture.database.db, fixture.orgId);

async function messages(count: number): Promise<void> {
  for (let each = 0; each < count; each += 1)
    await addMessage(fixture.database.db, fixture.orgId, fixture.clock.now());
}

const highLimits = { first: 200, retry: 200, perWebhook: 16, perPartner: 100 };

const timesReceived = (): number[] => countById(fixture.receiver.received);

describe('two workers at once', () => {
  test('deliver each message once', async () => {
    await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
    await messages(150);
    const options = { slots: { first: 8, retry: 2 } };
    await Promise.all([dispatcher(options).processAll(), dispatcher(options).processAll()]);
    expect(timesReceived()).toEqual(Array.from({ length: 150 }, () => 1));
    expect((await dump()).every(({ state, attempts }) => state === 'delivered' && attempts === 1)).toBe(true);
  });

  // The control: the same count, with a worker that finds the leases expired.
  test('would be seen to deliver twice if leases did not hold', async () => {
    await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
    await messages(5);
    const go = Promise.withResolvers<undefined>();
    fixture.receiver.answer = (_request, response) =>
      void go.promise.then(() => response.writeHead(204).end());
    const first = dispatcher().processAll();
    for (let each = 0; each < 5; each += 1) await fixture.receiver.next();
    await endLeases(fixture);
    const second = dispatcher().processAll();
    for (let each = 0; each < 5; each += 1) await fixture.receiver.next();
    go.resolve(undefined);
    await Promise.all([first, second]);
    expect(timesReceived()).toEqual([2, 2, 2, 2, 2]);
  });
});

test('a late worker does not overwrite the result of the one that took over', async () => {
  await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
  await messages(1);
  const go = Promise.withResolvers<undefined>();
  fixture.receiver.answerNext(
    (_request, response) => void go.promise.then(() => response.writeHead(500).end()),
  );
  const late = dispatcher().processAll();
  await fixture.receiver.next();
  await endLeases(fixture);
  await dispatcher().processAll();
  go.resolve(undefined);
  await late;
  expect(await dump()).toMatchObject([
    { state: 'delivered', attempts: 1, log: ['1 delivered  204 127.0.0.1 1'] },
  ]);
  expect(fixture.seen.counted.superseded).toBe(1);
});

test('what a dead worker had claimed is delivered when its lease is over, not before', async () => {
  await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
  await messages(3);
  const lease = { workerId: 0, leaseMs: 3_600_000, leaseToken: randomUUID() };
  const dead = await claimDeliveries(fixture.database.db, highLimits, lease);
  expect(dead.deliveries.length).toBe(3);
  await dispatcher().processAll();
  expect(fixture.receiver.received).toEqual([]);
  await endLeases(fixture);
  await dispatcher().processAll();
  expect(timesReceived()).toEqual([1, 1, 1]);
});

describe('owners', () => {
  const presence = () =>
    startWorkerPresence(
      fixture.database.connection,
      (error: unknown) => void fixture.seen.errors.push(error),
    );
  const claimAs = ({ workerId }: WorkerPresence) =>
    claimDeliveries(fixture.database.db, highLimits, { workerId, leaseMs: 20_000, leaseToken: randomUUID() });

  test('who ends is found absent at the second look, and what it held is delivered at once by another', async () => {
    await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
    await messages(3);
    const [dead, alive] = [await presence(), await presence()];
    await claimAs(dead);
    expect([await alive.listAbsentWorkers(), await alive.listAbsentWorkers()]).toEqual([[], []]);
    await dead.stop();
    expect([await alive.listAbsentWorkers(), await alive.listAbsentWorkers()]).toEqual([[], [dead.workerId]]);
    const running = dispatcher({ ...real, presence: async () => alive });
    await running.start();
    for (let each = 0; each < 3; each += 1) await fixture.receiver.next();
    await running.stop();
    expect(timesReceived()).toEqual([1, 1, 1]);
    expect(fixture.seen.counted.reclaimed).toBe(3);
  });

  test('who loses its connection and comes back keeps what it holds', async () => {
    await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
    await messages(1);
    const [broken, other] = [await presence(), await presence()];
    await claimAs(broken);
    await fixture.database.pool.query(
      `select pg_terminate_backend(pid) from ${OWN_LOCKS} where locktype = 'advisory' and objid = ${broken.workerId}`,
    );
    while (broken.isConnected()) await other.listAbsentWorkers();
    while (!broken.isConnected()) await fixture.database.pool.query('select 1');
    expect([await other.listAbsentWorkers(), await other.listAbsentWorkers()]).toEqual([[], []]);
    expect(fixture.seen.errors.splice(0)[0]).toMatchObject({ code: '57P01' });
    await Promise.all([broken.stop(), other.stop()]);
  });

  test('who has come back itself, as all do after a failover, waits for the others before it finds them absent', async () => {
    await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
    await messages(1);
    let atMs = 0;
    const [late, first] = [
      await presence(),
      await startWorkerPresence(
        fixture.database.connection,
        (error) => void fixture.seen.errors.push(error),
        () => atMs,
      ),
    ];
    await claimAs(late);
    await late.stop();
    const look = async () => [await first.listAbsentWorkers(), await first.listAbsentWorkers()];
    expect(await look()).toEqual([[], [late.workerId]]);
    await fixture.database.pool.query(
      `select pg_terminate_backend(pid) from ${OWN_LOCKS} where locktype = 'advisory' and objid = ${first.workerId}`,
    );
    while (first.isConnected()) await fixture.database.pool.query('select 1');
    while (!first.isConnected()) await fixture.database.pool.query('select 1');
    expect(await look()).toEqual([[], []]);
    atMs = 3_500;
    expect(await look()).toEqual([[], [late.workerId]]);
    fixture.seen.errors.splice(0);
    await first.stop();
  });

  test('a worker whose presence is away claims nothing', async () => {
    await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
    await messages(1);
    const away = {
      workerId: 1,
      isConnected: () => false,
      listAbsentWorkers: async () => [],
      stop: async () => {},
    };
    const running = dispatcher({ ...real, presence: async () => away });
    await running.start();
    await running.processAll();
    await running.stop();
    expect(fixture.receiver.received).toEqual([]);
  });
});

test('a stop waits for the attempts under way and records them', async () => {
  await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
  await messages(1);
  const go = Promise.withResolvers<undefined>();
  fixture.receiver.answer = (_request, response) => void go.promise.then(() => response.writeHead(204).end());
  const running = dispatcher(real);
  await running.start();
  await fixture.receiver.next();
  const stopped = running.stop();
  await messages(1);
  running.wake();
  go.resolve(undefined);
  await stopped;
  expect((await dump()).map(({ state, isLeased }) => [state, isLeased]).sort()).toEqual([
    ['delivered', false],
    ['pending', false],
  ]);
});

test('a stop gives back the leases of attempts that take too long', async () => {
  await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
  await messages(1);
  fixture.receiver.answerNext('hang');
  const stuck = dispatcher({ graceMs: 20 });
  const done = stuck.processAll();
  await fixture.receiver.next();
  await stuck.stop();
  await dispatcher().processAll();
  expect(await dump()).toMatchObject([{ state: 'delivered', attempts: 1, isLeased: false }]);
  await fixture.client.close();
  await done;
});

describe('a running dispatcher', () => {
  test('delivers on a wake-up, and on a notification from another process', async () => {
    await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
    const onError = (error: unknown): void => void fixture.seen.errors.push(error);
    const running = dispatcher({
      ...real,
      listen: (wake) => listenOnChannel(fixture.database.connection, DELIVERIES_CHANNEL, wake, onError),
    });
    await running.start();
    const first = await addMessage(fixture.database.db, fixture.orgId, real.now());
    running.wake();
    expect((await fixture.receiver.next()).headers['webhook-id']).toBe(first.id);
    const second = await addMessage(fixture.database.db, fixture.orgId, real.now());
    await notifyDispatchers(fixture.database.db);
    expect((await fixture.receiver.next()).headers['webhook-id']).toBe(second.id);
    await running.stop();
  });

  test('delivers a retry when it is due, without being woken', async () => {
    await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
    const { id } = await addMessage(fixture.database.db, fixture.orgId, real.now());
    const { rows } = await fixture.database.pool.query<{ due_at: Date }>(
      "update deliveries set due_at = now() + interval '300 ms' where message_id = $1 returning due_at",
      [id],
    );
    const running = dispatcher(real);
    await running.start();
    expect((await fixture.receiver.next()).headers['webhook-id']).toBe(id);
    const { rows: after } = await fixture.database.pool.query<{ now: Date }>('select now()');
    expect(after[0]?.now.getTime()).toBeGreaterThanOrEqual(rows[0]?.due_at.getTime() ?? NaN);
    await running.stop();
  });
});

test('a dead endpoint holds no more than its own slots, over all workers', async () => {
  const dead = await startReceiver({ authority: fixture.receiver.authority });
  dead.answer = 'hang';
  await addWebhook(fixture.database.db, fixture.orgId, dead.url());
  await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
  await messages(20);
  const short = loopbackClient(fixture.receiver.ca, 3_000);
  const options = { client: short, perWebhook: 3, leaseMs: 60_000 };
  const workers = [dispatcher(options), dispatcher(options)];
  const done = Promise.all(workers.map((worker) => worker.processAll()));
  for (let each = 0; each < 20; each += 1) await fixture.receiver.next();
  expect(dead.received.length).toBe(3);
  await fixture.database.pool.query(
    `update deliveries set state = 'cancelled'
     where state = 'pending' and message_id not in (select message_id from in_flight_slots where message_id is not null)`,
  );
  await done;
  expect(timesReceived()).toEqual(Array.from({ length: 20 }, () => 1));
  await short.close();
  await dead.close();
});

test('a dispatcher whose lease does not outlast the deadline does not start', () => {
  expect(() => dispatcher({ leaseMs: 5_000 })).toThrow('must be longer than the deadline');
});
