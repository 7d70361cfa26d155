import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import {
  claimDeliveries,
  CLAIM_WINDOW,
  type ClaimLimits,
} from '../../src/queries/deliveries/delivery-queue.ts';
import { insertMessageWithDeliveries } from '../../src/queries/deliveries/deliveries.ts';
import { openDatabase } from '../../src/queries/connection/database.ts';
import { releaseAbandonedDeliveryLeases } from '../../src/queries/deliveries/in-flight-slots.ts';
import { claimForMinute, countByName, HIGH_LIMITS } from '../support/claims.ts';
import {
  addMessage,
  addOrganization,
  addWebhook,
  endLeases,
  testDispatcher,
  webhookFixture,
} from '../support/webhook-fixture.ts';

const fixture = webhookFixture(5_000);

async function messages(count: number): Promise<void> {
  for (let each = 0; each < count; each += 1)
    await addMessage(fixture.database.db, fixture.orgId, fixture.clock.now());
}

/** Claims for a minute; how many of which webhook, by their attempts. */
const claimed = async (limits: Partial<ClaimLimits>): Promise<Record<string, number>> =>
  countByName((await claimForMinute(fixture, limits)).deliveries);

test('retries have slots of their own, so that they delay no first attempt', async () => {
  await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url('/failing'));
  await messages(10);
  await fixture.database.pool.query('update deliveries set attempts = 1');
  await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url('/new'));
  await messages(10);
  expect(await claimed({ first: 16, retry: 16 })).toEqual({ '/failing 0': 2, '/failing 1': 2, '/new 0': 2 });
});

describe('the claim keeps', () => {
  test('the cap of a webhook, over all workers, until the lease is over', async () => {
    await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url('/a'));
    await messages(10);
    const limits = { first: 80, perWebhook: 3 };
    expect(await claimed({ ...limits, first: 16 })).toEqual({ '/a 0': 2 });
    expect(await claimed(limits)).toEqual({ '/a 0': 1 });
    expect(await claimed(limits)).toEqual({});
    await endLeases(fixture);
    expect(await releaseAbandonedDeliveryLeases(fixture.database.db, [])).toBe(3);
    expect(await claimed(limits)).toEqual({ '/a 0': 3 });
  });

  test('the cap of a partner, and takes partners and their webhooks in turn', async () => {
    for (const path of ['/a', '/b', '/c'])
      await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url(path));
    await messages(10);
    const small = await addOrganization(fixture.database.db);
    await addWebhook(fixture.database.db, small, fixture.receiver.url('/small'));
    for (let each = 0; each < 10; each += 1)
      await addMessage(fixture.database.db, small, fixture.clock.now());
    expect(await claimed({ first: 8 })).toEqual({ '/a 0': 1, '/b 0': 1, '/c 0': 1, '/small 0': 1 });
    const more = await claimed({ first: 800, perPartner: 5 });
    expect([Object.values(more).reduce((sum, count) => sum + count), more['/small 0']]).toEqual([6, 4]);
  });

  test('to its window, and comes round to every webhook', async () => {
    const count = CLAIM_WINDOW + 20;
    for (let each = 0; each < count; each += 1)
      await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url(`/${each}`));
    await messages(1);
    await testDispatcher(fixture).processAll();
    // On a busy machine not all of so many handshakes end in time; an attempt that timed out was claimed too.
    const attempted = fixture.database.db.selectFrom('delivery_attempts').select('webhook_id').distinct();
    expect(await attempted.execute()).toHaveLength(count);
  });
});

test('a claimant that does not read its claim keeps no other from claiming', async () => {
  const payload = Buffer.from(JSON.stringify({ filler: 'x'.repeat(200_000) }));
  const now = fixture.clock.now();
  for (const path of ['/a', '/b', '/c', '/d']) {
    await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url(path));
  }
  for (let each = 0; each < 20; each += 1) {
    const message = { org_id: fixture.orgId, id: randomUUID(), message_type: 'device.information', payload };
    await fixture.database.db
      .transaction()
      .execute((tx) => insertMessageWithDeliveries(tx, { ...message, occurred_at: now }, now));
  }
  const stuck = openDatabase({ connection: fixture.database.connection, max: 1 });
  const limits = { ...HIGH_LIMITS, first: 40 };
  let unread: Promise<unknown> | undefined;
  try {
    const client = await stuck.pool.connect();
    const { stream } = (client as pg.ClientBase as pg.Client).connection;
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    client.release();
    const lease = { workerId: 0, leaseMs: 60_000, leaseToken: randomUUID() };
    unread = claimDeliveries(stuck.db, limits, lease);
    // From when the claim is sent on, nothing is read of its answer.
    stream.pause();
    const findWait = async () => {
      const { rows: waits } = await fixture.database.pool.query<{ wait_event: string | null }>(
        'select wait_event from pg_stat_activity where pid = $1',
        [rows[0]?.pid],
      );
      return waits[0]?.wait_event;
    };
    await expect.poll(findWait).toBe('ClientWrite');
    const locked = await fixture.database.pool.query(
      'select pg_try_advisory_xact_lock(1684829810) as is_free',
    );
    expect(locked.rows).toEqual([{ is_free: true }]);
    const other = { ...lease, workerId: 1, leaseToken: randomUUID() };
    const { deliveries } = await claimDeliveries(fixture.database.db, limits, other);
    expect(deliveries.length).toBeGreaterThan(0);
    stream.resume();
    expect(await unread).toMatchObject({ deliveries: { length: 20 } });
  } finally {
    await stuck.close();
  }
});
