import { randomUUID } from 'node:crypto';
import {
  claimDeliveries,
  type ClaimedBatch,
  type ClaimedDelivery,
  type ClaimLimits,
} from '../../src/queries/deliveries/delivery-queue.ts';
import { recordFinishedAttempts } from '../../src/queries/deliveries/delivery-results.ts';
import type { WebhookFixture } from './webhook-fixture.ts';

export const HIGH_LIMITS: ClaimLimits = { first: 200, retry: 200, perWebhook: 16, perPartner: 100 };

/** A claim of one worker, whose leases last for a minute. */
export function claimForMinute(
  { database }: WebhookFixture,
  limits: Partial<ClaimLimits>,
): Promise<ClaimedBatch> {
  const terms = { workerId: 0, leaseMs: 60_000, leaseToken: randomUUID() };
  return claimDeliveries(database.db, { ...HIGH_LIMITS, ...limits }, terms);
}

/** How many deliveries of which webhook, by the path of its address and their attempts. */
export function countByName(deliveries: readonly ClaimedDelivery[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of deliveries.map(({ url, attempts }) => `${new URL(url).pathname} ${attempts}`).sort())
    counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** Records that these were delivered. */
export async function recordDelivered(
  { database, clock }: WebhookFixture,
  deliveries: readonly ClaimedDelivery[],
): Promise<void> {
  const attempts = deliveries.map(({ worker_id, slot, lease_token, secret_version }) => ({
    ...{ worker_id, slot, lease_token, secret_version },
    ...{ state: 'delivered' as const, started_at: clock.now(), duration_ms: 1, status_code: 204 },
    ...{ retry_after_ms: undefined, error_class: undefined, detail: undefined, address: undefined },
  }));
  await recordFinishedAttempts(database.db, attempts, clock.now());
}
