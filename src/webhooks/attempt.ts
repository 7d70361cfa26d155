import { describeOutcome, errorClassOf, nextAttemptDelayMs } from '../domain/notifications/retry.ts';
import type { Keyring } from '../domain/security/encryption.ts';
import type { Secret } from '../domain/security/secret.ts';
import type { ClaimedDelivery } from '../queries/deliveries/delivery-queue.ts';
import type { FinishedAttempt } from '../queries/deliveries/delivery-results.ts';
import type { DeliveryMetrics } from './metrics.ts';
import type { SecretReader } from './secret-reader.ts';
import { signMessage } from './sign-message.ts';
import type { SendResult, WebhookClient } from './webhook-client.ts';

/*
 * The stages of an attempt, each of which takes the value of the one before it:
 *
 *   ClaimedDelivery  --SecretReader, signMessage-->  SignedMessage
 *                    --resolveDestination-->    ResolvedMessage
 *                    --ConnectionPool-->        Connection
 *                    --startHttpExchange-->     AttemptOutcome
 *                    --toFinishedAttempt-->     FinishedAttempt
 *                    --AttemptRecorder-->       recorded
 */

export interface AttemptOptions {
  readonly client: WebhookClient;
  readonly keyring: Keyring;
  /** Whether the headers of Standard Webhooks stand beside `Service-Signature`; true by default. */
  readonly hasStandardHeaders?: boolean;
  readonly now: () => Date;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly metrics: DeliveryMetrics;
  readonly onError: (error: unknown) => void;
}

/** The same with what one dispatcher's attempts share. */
export type AttemptContext = Omit<AttemptOptions, 'keyring'> & { readonly secrets: SecretReader };

/**
 * Runs one attempt of a claimed delivery, without recording it. It starts with its claim, at `startedAt`: what the claim
 * has read, the secret too, is not older than that. Never rejects for what the endpoint does.
 */
export async function runAttempt(
  options: AttemptContext,
  delivery: ClaimedDelivery,
  startedAt: Date,
): Promise<FinishedAttempt> {
  const { now, metrics } = options;
  const result = await send(options, delivery);
  metrics.attemptEnded(result.outcome, result.durationMs);
  if (result.outcome.kind === 'delivered')
    metrics.messageReceived(now().getTime() - delivery.created_at.getTime(), delivery.attempts + 1);
  return toFinishedAttempt(options, delivery, result, startedAt);
}

async function send(options: AttemptContext, delivery: ClaimedDelivery): Promise<SendResult> {
  const { client, now, hasStandardHeaders } = options;
  const secret = decryptSecret(options, delivery);
  if (secret === undefined)
    return { outcome: { kind: 'unsigned' }, durationMs: 0, address: undefined, phases: {} };
  const { url, message_id: messageId, payload: body } = delivery;
  const message = signMessage({ url, messageId, body, secret }, now(), hasStandardHeaders);
  return client.send({ ...message, webhookId: delivery.webhook_id });
}

/** Undefined when the key is lost: the attempt then fails, is repeated and at last exhausted like others. */
function decryptSecret(
  { secrets, onError }: AttemptContext,
  { secret, webhook_id: webhookId }: ClaimedDelivery,
): Secret | undefined {
  try {
    return secrets.read(secret, webhookId);
  } catch (error) {
    onError(error);
    return undefined;
  }
}

function toFinishedAttempt(
  { now, random }: AttemptContext,
  delivery: ClaimedDelivery,
  { outcome, durationMs, address, phases }: SendResult,
  startedAt: Date,
): FinishedAttempt {
  const retryAfterMs = nextAttemptDelayMs(delivery.attempts + 1, outcome, now(), random);
  const isDelivered = outcome.kind === 'delivered';
  return {
    worker_id: delivery.worker_id,
    slot: delivery.slot,
    lease_token: delivery.lease_token,
    state: isDelivered ? 'delivered' : retryAfterMs === undefined ? 'exhausted' : 'pending',
    retry_after_ms: retryAfterMs,
    started_at: startedAt,
    duration_ms: durationMs,
    error_class: errorClassOf(outcome),
    status_code: 'status' in outcome ? outcome.status : undefined,
    detail: isDelivered ? undefined : describeOutcome(outcome),
    address,
    secret_version: delivery.secret_version,
    lookup_ms: phases.lookupMs,
    connect_ms: phases.connectMs,
    tls_ms: phases.tlsMs,
    answer_ms: phases.answerMs,
  };
}
