import { buildDeliveryHeaders } from '../domain/notifications/delivery-headers.ts';
import type { Secret } from '../domain/security/secret.ts';

/** What a message is signed from. */
export interface UnsignedMessage {
  readonly url: string;
  readonly messageId: string;
  /** The message as stored, byte for byte. */
  readonly body: Buffer;
  readonly secret: Secret;
}

/** A message with the headers of one attempt. */
export interface SignedMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * First stage of an attempt: signs a message as of `now` with `Service-Signature` and, unless they are switched off,
 * the headers of Standard Webhooks 1.0. The next stage is `resolveDestination`.
 */
export function signMessage(
  { url, messageId, body, secret }: UnsignedMessage,
  now: Date,
  hasStandardHeaders = true,
): SignedMessage {
  const headers = buildDeliveryHeaders(secret, messageId, body, now, hasStandardHeaders);
  return { url, headers, body };
}
