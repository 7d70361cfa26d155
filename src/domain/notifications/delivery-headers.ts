import type { Secret } from '../security/secret.ts';
import { serviceSignatureHeader, standardWebhooksHeaders } from './signature.ts';

/** The User-Agent of every delivery. */
const USER_AGENT = 'Service-Notifications/1.0';

/** The headers of every attempt, with what differs from one to the next in words. */
export function listDeliveryHeaders(messageId: string): readonly (readonly [string, string])[] {
  return [
    ['Content-Type', 'application/json'],
    ['User-Agent', USER_AGENT],
    ['Service-Signature', 't=<seconds of the attempt>,v1=<HMAC-SHA256 in hex>'],
    ['webhook-id', messageId],
    ['webhook-timestamp', '<seconds of the attempt>'],
    ['webhook-signature', 'v1,<HMAC-SHA256 in base64>'],
  ];
}

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
