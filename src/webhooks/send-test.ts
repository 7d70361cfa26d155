import { encodeEnvelope, TEST_MESSAGE_TYPE } from '../domain/notifications/envelope.ts';
import { describeOutcome } from '../domain/notifications/retry.ts';
import { Secret } from '../domain/security/secret.ts';
import type { WebhookTester } from '../domain/notifications/webhook-test.ts';
import { deliver, type DeliverOptions } from './deliver.ts';

export interface WebhookTesterOptions extends DeliverOptions {
  readonly now: () => Date;
  readonly newId: () => string;
}

/** Test messages go out at once, on a connection of their own, and are never sent again. */
export function webhookTester(options: WebhookTesterOptions): WebhookTester {
  return async ({ url, secret, topic }) => {
    const now = options.now();
    const messageId = options.newId();
    const body = encodeEnvelope(messageId, { type: TEST_MESSAGE_TYPE, data: { topic } }, now);
    const { outcome } = await deliver(
      options,
      { url, messageId, body, secret: new Secret(secret) },
      now,
      true,
    );
    return outcome.kind === 'delivered'
      ? { outcome: 'delivered', status_code: outcome.status, detail: null }
      : { outcome: 'failed', status_code: null, detail: describeOutcome(outcome) };
  };
}
