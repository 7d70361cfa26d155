import { describe, expect, test } from 'vitest';
import {
  claimDeliveries,
  CLAIM_WINDOW,
  type ClaimLimits,
} from '../../src/queries/deliveries/delivery-queue.ts';
import { releaseAbandonedDeliveryLeases } from '../../src/queries/deliveries/in-flight-slots.ts';
import {
  addMessage,
  addOrganization,
  addWebhook,
  testDispatcher,
  webhookFixture,
} from '../support/webhook-fixture.ts';

const fixture = webhookFixture(5_000);

async function messages(count: number): Promise<void> {
  for (let each = 0; each < count; each += 1)
    await addMessage(fixture.database.db, fixture.orgId, fixture.clock.now());
}

const highLimits = { first: 200, retry: 200, perWebhook: 16, perOrganization: 100 };

/** Claims for a minute; how many of which webhook, by their attempts. */
async function claimed(limits: Partial<ClaimLimits>): Promise<Record<string, number>> {
  const leaseUntil = new Date(fixture.clock.now().getTime() + 60_000);
  const lease = { workerId: 0, now: fixture.clock.now(), until: leaseUntil };
  const { deliveries } = await claimDeliveries(fixture.database.db, { ...highLimits, ...limits }, lease);
  const counts: Record<string, number> = {};
  for (const name of deliveries.map(({ url, attempts }) => `${new URL(url).pathname} ${attempts}`).sort())
    counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

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
    fixture.clock.advance(60_000);
    expect(await releaseAbandonedDeliveryLeases(fixture.database.db, [], fixture.clock.now())).toBe(3);
    expect(await claimed(limits)).toEqual({ '/a 0': 3 });
  });

  test('the cap of an organization, and takes organizations and their webhooks in turn', async () => {
    for (const path of ['/a', '/b', '/c'])
      await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url(path));
    await messages(10);
    const small = await addOrganization(fixture.database.db);
    await addWebhook(fixture.database.db, small, fixture.receiver.url('/small'));
    for (let each = 0; each < 10; each += 1)
      await addMessage(fixture.database.db, small, fixture.clock.now());
    expect(await claimed({ first: 8 })).toEqual({ '/a 0': 1, '/b 0': 1, '/c 0': 1, '/small 0': 1 });
    const more = await claimed({ first: 800, perOrganization: 5 });
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
