import type { Secret } from '../security/secret.ts';
import { serviceSignature, standardHeaders } from './signature.ts';

/** What every delivery calls itself. */
const userAgent = 'Service-Notifications/1.0';

/** The headers of one attempt, signed as of `at`; the Standard Webhooks ones stand beside `Service-Signature`. */
export function deliveryHeaders(
  secret: Secret,
  messageId: string,
  body: Buffer,
  at: Date,
  hasStandardHeaders = true,
): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': userAgent,
    'Service-Signature': serviceSignature(secret, body, at),
    ...(hasStandardHeaders ? standardHeaders(secret, messageId, body, at) : {}),
  };
}
