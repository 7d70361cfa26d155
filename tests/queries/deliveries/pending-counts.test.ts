// How many deliveries of a partner are pending is kept, and bounded.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { countUse, setPartnerQuota } from '../../../src/queries/accounts/quotas.ts';
import type { Tx } from '../../../src/queries/connection/database.ts';
import { insertMessageWithDeliveries } from '../../../src/queries/deliveries/deliveries.ts';
import { requeueDelivery } from '../../../src/queries/deliveries/delivery-log.ts';
import {
  softDeleteWebhooksOfOrganization,
  softDeleteWebhook,
  updateWebhook,
} from '../../../src/queries/deliveries/webhook-changes.ts';
import {
  addMessage,
  addOrganization,
  addWebhook,
  dumpDeliveries,
  makeAllDue,
  testDispatcher,
  webhookFixture,
} from '../../support/webhook-fixture.ts';

const fixture = webhookFixture();
const url = (path = '/'): string => fixture.receiver.url(path);
const raise = (orgId = fixture.orgId) => addMessage(fixture.database.db, orgId, fixture.clock.now());
const kept = (): Promise<number> => countUse(fixture.database.db, fixture.orgId, 'pending_deliveries');
const setQuota = (quota: number | undefined): Promise<void> =>
  fixture.database.db
    .transaction()
    .execute((tx) => setPartnerQuota(tx, fixture.orgId, 'pending_deliveries', quota));
const inTransaction = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  fixture.database.db.transaction().execute(work);

async function counted(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from deliveries d join organizations o on o.id = d.org_id
    where coalesce(o.parent_org_id, o.id) = ${fixture.orgId} and d.state = 'pending'`.execute(
    fixture.database.db,
  );
  return rows[0]?.count ?? NaN;
}

async function statesOf(orgId = fixture.orgId): Promise<string[]> {
  const deliveries = await dumpDeliveries(fixture.database.db, orgId);
  return deliveries.map(({ state, cancel_reason }) => cancel_reason ?? state).toSorted();
}

test('the number is that of the rows through events, results, drops and repetitions, many at once', async () => {
  const { db } = fixture.database;
  const simulation = await addOrganization(db, { parent_org_id: fixture.orgId });
  const now = fixture.clock.now();
  const [own] = [
    await addWebhook(db, fixture.orgId, url('/good')),
    await addWebhook(db, simulation, url('/bad')),
  ];
  const fading = await addWebhook(db, fixture.orgId, url('/bad'));
  fixture.receiver.answer = ({ path }, response) =>
    void response.writeHead(path === '/good' ? 204 : 500).end();
  await Promise.all(Array.from({ length: 12 }, (_, i) => raise(i % 3 === 0 ? simulation : fixture.orgId)));
  expect([await kept(), await counted()]).toEqual([20, 20]);
  await testDispatcher(fixture).processAll();
  expect([await kept(), await counted()]).toEqual([12, 12]);
  await sql`update deliveries set attempts = 9 where org_id = ${simulation}`.execute(db);
  await makeAllDue(fixture);
  await testDispatcher(fixture).processAll();
  expect([await kept(), await counted()]).toEqual([8, 8]);
  const delivered = (await dumpDeliveries(db, fixture.orgId)).find(({ state }) => state === 'delivered');
  const key = { orgId: fixture.orgId, webhookId: own.id, messageId: delivered?.message_id ?? '' };
  expect(await inTransaction((tx) => requeueDelivery(tx, key, now))).toMatchObject({ state: 'pending' });
  expect([await kept(), await counted()]).toEqual([9, 9]);
  await inTransaction(async (tx) => {
    await sql`savepoint before`.execute(tx);
    const message = { org_id: fixture.orgId, message_type: 'device.information', occurred_at: now };
    const id = '0c9a4d2e-7b31-4f58-9e06-3a1b5c7d9f20';
    await insertMessageWithDeliveries(tx, { ...message, id, payload: Buffer.from('{}') }, now);
    await sql`rollback to savepoint before`.execute(tx);
  });
  expect([await kept(), await counted()]).toEqual([9, 9]);
  await Promise.all([
    inTransaction((tx) => updateWebhook(tx, fixture.orgId, fading.id, { enabled: false }, now)),
    raise(simulation),
    raise(simulation),
  ]);
  expect([await kept(), await counted()]).toEqual([3, 3]);
  await inTransaction((tx) => softDeleteWebhook(tx, fixture.orgId, own.id, now));
  await inTransaction((tx) => softDeleteWebhooksOfOrganization(tx, simulation, now));
  expect([await kept(), await counted()]).toEqual([0, 0]);
});

test('what the dispatcher finds unwanted is counted off', async () => {
  const { db } = fixture.database;
  await addWebhook(db, fixture.orgId, url());
  await raise();
  await db.updateTable('webhooks').set({ enabled: false }).execute();
  expect(await kept()).toBe(1);
  await testDispatcher(fixture).processAll();
  expect([await kept(), await counted()]).toEqual([0, 0]);
});

test('at the quota an event is written and its deliveries are dropped with the reason, until there is room', async () => {
  const { db } = fixture.database;
  await addWebhook(db, fixture.orgId, url('/a'));
  await addWebhook(db, fixture.orgId, url('/b'));
  await setQuota(3);
  expect([await raise(), await raise(), await raise()].map(({ deliveries }) => deliveries)).toEqual([
    2, 2, 0,
  ]);
  const dropped = ['quota_reached', 'quota_reached'];
  expect(await statesOf()).toEqual(['pending', 'pending', 'pending', 'pending', ...dropped]);
  expect(await kept()).toBe(4);
  const messages = await db.selectFrom('messages').select('id').where('org_id', '=', fixture.orgId).execute();
  expect(messages).toHaveLength(3);
  await testDispatcher(fixture).processAll();
  expect(fixture.receiver.received).toHaveLength(4);
  expect((await raise()).deliveries).toBe(2);
});

test('a webhook for which nothing is pending gets its delivery beyond the quota', async () => {
  const { db } = fixture.database;
  await addWebhook(db, fixture.orgId, url('/dead'));
  await setQuota(1);
  await raise();
  await addWebhook(db, fixture.orgId, url('/good'));
  expect((await raise()).deliveries).toBe(1);
  // Its delivery is pending now.
  expect((await raise()).deliveries).toBe(0);
  expect(await statesOf()).toEqual(['pending', 'pending', ...Array<string>(3).fill('quota_reached')]);
});

test('simulation organizations count with their partner, and another partner does not', async () => {
  const { db } = fixture.database;
  const simulation = await addOrganization(db, { parent_org_id: fixture.orgId });
  const other = await addOrganization(db);
  for (const orgId of [fixture.orgId, simulation, other]) await addWebhook(db, orgId, url());
  await setQuota(2);
  for (const orgId of [fixture.orgId, simulation, other]) expect((await raise(orgId)).deliveries).toBe(1);
  for (const orgId of [fixture.orgId, simulation]) expect((await raise(orgId)).deliveries).toBe(0);
  expect((await raise(other)).deliveries).toBe(1);
  await setQuota(undefined);
  expect((await raise(simulation)).deliveries).toBe(1);
});

test('events at the same time pass the quota by no more than what they write', async () => {
  await addWebhook(fixture.database.db, fixture.orgId, url());
  await setQuota(3);
  await Promise.all(Array.from({ length: 40 }, () => raise()));
  const pending = await counted();
  expect(pending).toBeGreaterThanOrEqual(3);
  // Two places are left when as many begin as the test has connections.
  expect(pending).toBeLessThanOrEqual(2 + 10);
  expect([await kept(), (await raise()).deliveries]).toEqual([pending, 0]);
});

test('recording waits for no event of the same partner that is under way', async () => {
  const { db } = fixture.database;
  await addWebhook(db, fixture.orgId, url());
  await raise();
  await inTransaction(async (tx) => {
    const now = fixture.clock.now();
    const id = '0c9a4d2e-7b31-4f58-9e06-3a1b5c7d9f21';
    const message = { org_id: fixture.orgId, message_type: 'device.information', occurred_at: now };
    await insertMessageWithDeliveries(tx, { ...message, id, payload: Buffer.from('{}') }, now);
    await testDispatcher(fixture).processAll();
    expect(await statesOf()).toEqual(['delivered']);
  });
  expect(await kept()).toBe(1);
});
