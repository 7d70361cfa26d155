// How partners share the slots of a worker.
import { describe, expect, test } from 'vitest';
import type { ClaimedDelivery } from '../../src/queries/deliveries/delivery-queue.ts';
import { claimForMinute, countByName, recordDelivered } from '../support/claims.ts';
import { addMessage, addOrganization, addWebhook, webhookFixture } from '../support/webhook-fixture.ts';

const SLOTS = 32;

const fixture = webhookFixture();

/** Claims for so many free slots of a worker. */
const claim = async (first: number): Promise<ClaimedDelivery[]> =>
  (await claimForMinute(fixture, { first })).deliveries;
const finish = (deliveries: readonly ClaimedDelivery[]) => recordDelivered(fixture, deliveries);

/** Webhooks of an organization, and messages to each of them. */
async function addBacklog(
  orgId: string,
  path: string,
  { webhooks, messages }: { readonly webhooks: number; readonly messages: number },
): Promise<void> {
  for (let each = 0; each < webhooks; each += 1)
    await addWebhook(fixture.database.db, orgId, fixture.receiver.url(path));
  for (let each = 0; each < messages; each += 1)
    await addMessage(fixture.database.db, orgId, fixture.clock.now());
}

describe('partners take turns, however many organizations they have', () => {
  const MESSAGES = 16;

  /** Two partners with forty webhooks each: one has them itself, the other in ten simulation organizations. */
  async function addPartners(): Promise<void> {
    const { db } = fixture.database;
    const one = await addOrganization(db);
    await addBacklog(one, '/one', { webhooks: 40, messages: MESSAGES });
    const ten = await addOrganization(db);
    for (let each = 0; each < 10; each += 1) {
      const orgId = await addOrganization(db, { parent_org_id: ten });
      await addBacklog(orgId, '/ten', { webhooks: 4, messages: MESSAGES });
    }
  }

  test('of each claim two that wait get the same number', async () => {
    await addPartners();
    for (const first of [32, 9, 2]) {
      const { '/one 0': one = 0, '/ten 0': ten = 0 } = countByName(await claim(first));
      expect({ claimed: one + ten, isFair: Math.abs(one - ten) <= 1 }).toEqual({
        claimed: first,
        isFair: true,
      });
      await fixture.database.pool.query('delete from in_flight_slots');
    }
  });

  test('and over a whole run they alternate within the slots of the worker', async () => {
    await addPartners();
    const inFlight: ClaimedDelivery[] = [];
    const counts = { one: 0, ten: 0 };
    const leads: number[] = [];
    while (counts.one < 8 * MESSAGES) {
      const deliveries = await claim(SLOTS - inFlight.length);
      inFlight.push(...deliveries);
      expect(inFlight).toHaveLength(SLOTS);
      const { '/one 0': one = 0, '/ten 0': ten = 0 } = countByName(deliveries);
      counts.one += one;
      counts.ten += ten;
      leads.push(counts.ten - counts.one);
      await finish(inFlight.splice(0, 7));
    }
    expect(Math.max(...leads.map(Math.abs))).toBeLessThanOrEqual(SLOTS / 2);
  });
});

describe('the slots of a worker', () => {
  const manyEndpoints = { webhooks: 2 * SLOTS, messages: 2 };
  const oneDelivery = { webhooks: 1, messages: 1 };

  test('are all used by a partner that waits alone, and shared from when another one waits', async () => {
    await addBacklog(fixture.orgId, '/a', manyEndpoints);
    const ofA = await claim(SLOTS);
    expect(ofA).toHaveLength(SLOTS);
    // Its endpoints hang: few attempts end, and each is replaced.
    await finish(ofA.splice(0, 3));
    expect(countByName(await claim(3))).toEqual({ '/a 0': 3 });

    await addBacklog(await addOrganization(fixture.database.db), '/b', manyEndpoints);
    const inFlight = { a: SLOTS, b: 0 };
    for (let each = 0; each < 4; each += 1) {
      await finish(ofA.splice(0, 5));
      const { '/a 0': a = 0, '/b 0': b = 0 } = countByName(await claim(5));
      inFlight.a += a - 5;
      inFlight.b += b;
      expect(a + b).toBe(5);
    }
    expect(inFlight).toEqual({ a: SLOTS / 2, b: SLOTS / 2 });
  });

  test('are not kept for a partner of which everything due is in flight', async () => {
    await addBacklog(await addOrganization(fixture.database.db), '/b', oneDelivery);
    expect(countByName(await claim(SLOTS))).toEqual({ '/b 0': 1 });
    await addBacklog(fixture.orgId, '/a', manyEndpoints);
    expect(countByName(await claim(SLOTS - 1))).toEqual({ '/a 0': SLOTS - 1 });
  });

  test('are claimed again at once where a partner has its part and the others cannot use what is free', async () => {
    await addBacklog(fixture.orgId, '/a', manyEndpoints);
    const ofA = await claim(SLOTS);
    await addBacklog(await addOrganization(fixture.database.db), '/b', oneDelivery);
    await finish(ofA.splice(0, 3));
    const { deliveries, hasMore } = await claimForMinute(fixture, { first: 3, retry: 0 });
    expect([countByName(deliveries), hasMore.first]).toEqual([{ '/b 0': 1 }, true]);
    expect(countByName(await claim(2))).toEqual({ '/a 0': 2 });
  });
});
