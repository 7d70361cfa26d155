import { encodeEnvelope, TEST_MESSAGE_TYPE } from '../domain/notifications/envelope.ts';
import { describeOutcome } from '../domain/notifications/retry.ts';
import { Secret } from '../domain/security/secret.ts';
import type { WebhookTester } from '../domain/notifications/webhook-test.ts';
import { signMessage } from './sign-message.ts';
import type { WebhookClient } from './webhook-client.ts';

/** Tests of a process that are under way at once; each can take the whole deadline of a delivery. */
export const MAX_TESTS_AT_ONCE = 32;
/** Further tests of a partner that wait for their turn. */
export const MAX_WAITING_TESTS = 32;

export interface WebhookTesterOptions {
  readonly client: WebhookClient;
  /** Does the work in the partner's turn; throws the problem overloaded when none comes. */
  readonly runInTurn: <Result>(partnerId: string, work: () => Promise<Result>) => Promise<Result>;
  /** Whether the headers of Standard Webhooks stand beside `Service-Signature`; true by default. */
  readonly hasStandardHeaders?: boolean;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** Makes the function that sends a test message: at once, over a connection of its own, and only once. */
export function createWebhookTester({
  client,
  runInTurn,
  hasStandardHeaders,
  now,
  newId,
}: WebhookTesterOptions): WebhookTester {
  return async ({ webhookId, url, secret, topic, partnerId }) => {
    const { outcome } = await runInTurn(partnerId, () => {
      const at = now();
      const messageId = newId();
      const body = encodeEnvelope(messageId, { type: TEST_MESSAGE_TYPE, data: { topic } }, at);
      const message = signMessage(
        { url, messageId, body, secret: new Secret(secret) },
        at,
        hasStandardHeaders,
      );
      return client.send({ ...message, webhookId, hasOwnConnection: true });
    });
    return outcome.kind === 'delivered'
      ? { outcome: 'delivered', status_code: outcome.status, detail: null }
      : { outcome: 'failed', status_code: null, detail: describeOutcome(outcome) };
  };
}
