import type { Secret } from '../security/secret.ts';
import { serviceSignatureHeader, standardWebhooksHeaders } from './signature.ts';

/** The User-Agent of every delivery. */
const USER_AGENT = 'Service-Notifications/1.0';

/** The headers of one attempt, signed as of `at`: `Service-Signature`, and by default those of Standard Webhooks too. */
export function buildDeliveryHeaders(
  secret: Secret,
  messageId: string,
  body: Buffer,
  at: Date,
  hasStandardHeaders = true,
): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    'Service-Signature': serviceSignatureHeader(secret, body, at),
    ...(hasStandardHeaders ? standardWebhooksHeaders(secret, messageId, body, at) : {}),
  };
}
