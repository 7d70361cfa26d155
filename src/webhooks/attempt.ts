import { describeOutcome, errorClassOf, nextAttemptAt } from '../domain/notifications/retry.ts';
import { decrypt, webhookSecretContext, type Keyring } from '../domain/security/encryption.ts';
import type { Secret } from '../domain/security/secret.ts';
import type { ClaimedDelivery } from '../queries/deliveries/delivery-queue.ts';
import type { FinishedAttempt } from '../queries/deliveries/delivery-results.ts';
import { deliver, type DeliverOptions } from './deliver.ts';
import type { Exchange, Exchanged } from './exchange.ts';
import type { DeliveryMetrics } from './metrics.ts';

export interface AttemptOptions extends DeliverOptions {
  readonly exchange: Exchange;
  readonly keyring: Keyring;
  readonly now: () => Date;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly metrics: DeliveryMetrics;
  readonly onError: (error: unknown) => void;
}

/**
 * One attempt of a claimed delivery, and what follows from how it ended. It starts with its claim: what the claim read,
 * the secret too, is from no earlier instant.
 */
export async function attempt(
  options: AttemptOptions,
  delivery: ClaimedDelivery,
  startedAt: Date,
): Promise<FinishedAttempt> {
  const { now, metrics } = options;
  const secret = secretOf(options, delivery);
  const { url, message_id: messageId, payload: body } = delivery;
  const exchanged: Exchanged =
    secret === undefined
      ? { outcome: { kind: 'unsigned' }, durationMs: 0, address: undefined }
      : await deliver(options, { url, messageId, body, secret }, now());
  metrics.attempted(exchanged.outcome, exchanged.durationMs);
  if (exchanged.outcome.kind === 'delivered')
    metrics.received(now().getTime() - delivery.created_at.getTime(), delivery.attempts + 1);
  return finished(options, delivery, exchanged, startedAt);
}

/** A secret whose key is lost fails the attempt, so that its delivery is repeated and at last given up like others. */
function secretOf(
  { keyring, onError }: AttemptOptions,
  { secret, webhook_id: webhookId }: ClaimedDelivery,
): Secret | undefined {
  try {
    return decrypt(keyring, secret, webhookSecretContext(webhookId));
  } catch (error) {
    onError(error);
    return undefined;
  }
}

function finished(
  { now, random }: AttemptOptions,
  delivery: ClaimedDelivery,
  { outcome, durationMs, address }: Exchanged,
  startedAt: Date,
): FinishedAttempt {
  const dueAt = nextAttemptAt(delivery.attempts + 1, outcome, now(), random);
  const isDelivered = outcome.kind === 'delivered';
  return {
    worker_id: delivery.worker_id,
    slot: delivery.slot,
    lease_token: delivery.lease_token,
    state: isDelivered ? 'delivered' : dueAt === undefined ? 'exhausted' : 'pending',
    due_at: dueAt,
    started_at: startedAt,
    duration_ms: durationMs,
    error_class: errorClassOf(outcome),
    status_code: 'status' in outcome ? outcome.status : undefined,
    detail: isDelivered ? undefined : describeOutcome(outcome),
    address,
    secret_version: delivery.secret_version,
  };
}
