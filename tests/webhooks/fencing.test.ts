import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { claimDeliveries } from '../../src/queries/deliveries/delivery-queue.ts';
import type { ClaimedDelivery } from '../../src/queries/deliveries/delivery-queue.ts';
import {
  cancelUnwantedDeliveries,
  recordFinishedAttempts,
} from '../../src/queries/deliveries/delivery-results.ts';
import type { FinishedAttempt } from '../../src/queries/deliveries/delivery-results.ts';
import {
  releaseAbandonedDeliveryLeases,
  releaseLeases,
} from '../../src/queries/deliveries/in-flight-slots.ts';
import {
  addMessage,
  addWebhook,
  dumpDeliveries,
  endLeases,
  webhookFixture,
} from '../support/webhook-fixture.ts';

const fixture = webhookFixture();

async function claim(): Promise<ClaimedDelivery> {
  const limits = { first: 8, retry: 8, perWebhook: 8, perPartner: 8 };
  const lease = { workerId: 0, leaseMs: 60_000, leaseToken: randomUUID() };
  const [delivery] = (await claimDeliveries(fixture.database.db, limits, lease)).deliveries;
  if (delivery === undefined) throw new Error('Nothing is due.');
  return delivery;
}

const delivered = ({ worker_id, slot, lease_token }: ClaimedDelivery): FinishedAttempt => ({
  worker_id,
  slot,
  lease_token,
  state: 'delivered',
  retry_after_ms: undefined,
  started_at: fixture.clock.now(),
  duration_ms: 5,
  error_class: undefined,
  status_code: 204,
  detail: undefined,
  address: undefined,
  secret_version: 1,
});

test('a worker whose lease was taken over records, cancels and releases nothing, though the slot is the same', async () => {
  const { db } = fixture.database;
  await addWebhook(db, fixture.orgId, fixture.receiver.url('/hook'));
  await addMessage(db, fixture.orgId, fixture.clock.now());
  const late = await claim();
  await endLeases(fixture);
  expect(await releaseAbandonedDeliveryLeases(db, [])).toBe(1);
  const present = await claim();
  expect([present.worker_id, present.slot]).toEqual([late.worker_id, late.slot]);
  const before = await dumpDeliveries(db, fixture.orgId);

  expect(await recordFinishedAttempts(db, [delivered(late)], fixture.clock.now())).toEqual([]);
  await cancelUnwantedDeliveries(db, [{ ...late, unwanted: 'disabled' }], fixture.clock.now());
  await releaseLeases(db, [late]);
  expect(await dumpDeliveries(db, fixture.orgId)).toEqual(before);

  const recorded = await recordFinishedAttempts(db, [delivered(present)], fixture.clock.now());
  expect(recorded).toMatchObject([{ message_id: present.message_id, state: 'delivered' }]);
});
