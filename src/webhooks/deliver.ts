import { buildDeliveryHeaders } from '../domain/notifications/delivery-headers.ts';
import type { Secret } from '../domain/security/secret.ts';
import type { Exchange, Exchanged } from './exchange.ts';

export interface SignedMessage {
  readonly url: string;
  readonly messageId: string;
  /** The message as stored, byte for byte. */
  readonly body: Buffer;
  readonly secret: Secret;
}

export interface DeliverOptions {
  readonly exchange: Exchange;
  /** Standard Webhooks headers beside `Service-Signature`. */
  readonly hasStandardHeaders?: boolean;
}

/** One attempt, signed as of `now`. */
export function deliver(
  { exchange, hasStandardHeaders = true }: DeliverOptions,
  { url, messageId, body, secret }: SignedMessage,
  now: Date,
  isAlone = false,
): Promise<Exchanged> {
  const headers = buildDeliveryHeaders(secret, messageId, body, now, hasStandardHeaders);
  return exchange.post({ url, headers, body, isAlone });
}
