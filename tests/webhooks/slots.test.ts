// How many attempts a process and a partner have in flight, however much is due.
import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import type { DispatcherOptions } from '../../src/webhooks/dispatcher.ts';
import {
  addMessage,
  addOrganization,
  addWebhook,
  loopbackClient,
  testDispatcher,
  webhookFixture,
} from '../support/webhook-fixture.ts';

const DUE = 12;
const fixture = webhookFixture();
/** Before the receiver is closed, which waits for what is in flight. */
let cleanUp = async (): Promise<void> => undefined;
afterEach(() => cleanUp());

/** Deliveries to twelve webhooks of a partner are due. How many are in flight once so many have arrived; then all are answered. */
async function inFlightAfter(arrivals: number, options: Partial<DispatcherOptions>): Promise<number> {
  const { database, orgId, receiver, clock } = fixture;
  for (let each = 0; each < DUE; each += 1) await addWebhook(database.db, orgId, receiver.url(`/${each}`));
  await addMessage(database.db, orgId, clock.now());
  const held: ServerResponse[] = [];
  const arrived = Promise.withResolvers<undefined>();
  receiver.answer = (_request, response) => {
    held.push(response);
    if (held.length === arrivals) arrived.resolve(undefined);
  };
  const client = loopbackClient(receiver.ca, 60_000);
  const done = testDispatcher(fixture, { client, leaseMs: 120_000, ...options }).processAll();
  await arrived.promise;
  const { rows } = await database.pool.query<{ count: number }>(
    'select count(*)::int as count from in_flight_slots where message_id is not null',
  );
  receiver.answer = { status: 204 };
  for (const response of held) response.writeHead(204).end();
  await done;
  expect(receiver.received).toHaveLength(DUE);
  await client.close();
  return rows[0]?.count ?? 0;
}

test('a process has no more attempts in flight than slots', async () => {
  expect(await inFlightAfter(3, { slots: { first: 3, retry: 1 } })).toBe(3);
});

test('a partner has no more attempts in flight than its part', async () => {
  expect(await inFlightAfter(4, { perPartner: 4 })).toBe(4);
});

test('the last eighth is kept for partners that have few attempts in flight, and no one of these takes it all', async () => {
  const { database, receiver, clock } = fixture;
  /** A message to so many webhooks of a partner, whose addresses begin with the name. */
  const addPartner = async (name: string, webhooks: number): Promise<void> => {
    const orgId = await addOrganization(database.db);
    for (let each = 0; each < webhooks; each += 1)
      await addWebhook(database.db, orgId, receiver.url(`/${name}/${each}`));
    await addMessage(database.db, orgId, clock.now());
  };
  const held: ServerResponse[] = [];
  receiver.answer = ({ path }, response) => {
    if (path.startsWith('/heard')) response.writeHead(204).end();
    else held.push(response);
  };
  const client = loopbackClient(receiver.ca, 60_000);
  const dispatcher = testDispatcher(fixture, {
    client,
    leaseMs: 120_000,
    slots: { first: 64, retry: 8 },
    graceMs: 0,
  });
  cleanUp = async () => {
    await dispatcher.stop();
    await client.close();
  };
  const arrivals = async (count: number): Promise<string[]> => {
    const paths: string[] = [];
    while (paths.length < count) paths.push((await receiver.next()).path.split('/')[1] ?? '');
    return paths;
  };
  await addPartner('silent', 70);
  await dispatcher.start();
  expect(new Set(await arrivals(56))).toEqual(new Set(['silent']));
  await addPartner('heard', 1);
  dispatcher.wake();
  expect(await arrivals(1)).toEqual(['heard']);
  await addPartner('second', 8);
  dispatcher.wake();
  expect(new Set(await arrivals(4))).toEqual(new Set(['second']));
  await addPartner('heard-too', 1);
  dispatcher.wake();
  expect(await arrivals(1)).toEqual(['heard-too']);
  expect(held).toHaveLength(56 + 4);
});

test('beside endpoints that hang a partner comes to its few, although slots are free of which nobody else may have one', async () => {
  const { database, receiver, clock } = fixture;
  receiver.answer = () => undefined;
  const client = loopbackClient(receiver.ca, 60_000);
  const slots = { first: 120, retry: 8 };
  const dispatcher = testDispatcher(fixture, { client, leaseMs: 120_000, slots, graceMs: 0 });
  cleanUp = async () => {
    await dispatcher.stop();
    await client.close();
  };
  // Three of the slots that are not kept stay free: of so few a webhook may hold one, as each of these does, which have more to send.
  for (let each = 0; each < 102; each += 1)
    await addWebhook(database.db, fixture.orgId, receiver.url(`/silent/${each}`));
  await addMessage(database.db, fixture.orgId, clock.now());
  await dispatcher.start();
  for (let each = 0; each < 102; each += 1) await receiver.next();
  await addMessage(database.db, fixture.orgId, clock.now());
  const other = await addOrganization(database.db);
  for (const path of ['/other/1', '/other/2']) await addWebhook(database.db, other, receiver.url(path));
  for (let each = 0; each < 8; each += 1) await addMessage(database.db, other, clock.now());
  dispatcher.wake();
  const paths: string[] = [];
  while (paths.length < 4) paths.push((await receiver.next()).path);
  expect(paths.toSorted()).toEqual(['/other/1', '/other/1', '/other/2', '/other/2']);
});
