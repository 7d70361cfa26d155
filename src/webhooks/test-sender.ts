import { encodeEnvelope, TEST_MESSAGE_TYPE } from '../domain/notifications/envelope.ts';
import { describeOutcome } from '../domain/notifications/retry.ts';
import { Secret } from '../domain/security/secret.ts';
import type { WebhookTester } from '../domain/notifications/webhook-test.ts';
import { signMessage } from './sign-message.ts';
import type { WebhookClient } from './webhook-client.ts';

export interface WebhookTesterOptions {
  readonly client: WebhookClient;
  /** Whether the headers of Standard Webhooks stand beside `Service-Signature`; true by default. */
  readonly hasStandardHeaders?: boolean;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** Makes the function that sends a test message: at once, over a connection of its own, and only once. */
export function createWebhookTester({
  client,
  hasStandardHeaders,
  now,
  newId,
}: WebhookTesterOptions): WebhookTester {
  return async ({ url, secret, topic }) => {
    const at = now();
    const messageId = newId();
    const body = encodeEnvelope(messageId, { type: TEST_MESSAGE_TYPE, data: { topic } }, at);
    const message = signMessage({ url, messageId, body, secret: new Secret(secret) }, at, hasStandardHeaders);
    const { outcome } = await client.send({ ...message, usesOwnConnection: true });
    return outcome.kind === 'delivered'
      ? { outcome: 'delivered', status_code: outcome.status, detail: null }
      : { outcome: 'failed', status_code: null, detail: describeOutcome(outcome) };
  };
}
