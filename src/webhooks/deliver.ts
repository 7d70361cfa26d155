import type { Secret } from '../domain/secret.ts';
import { serviceSignature, standardHeaders } from '../domain/signature.ts';
import type { Exchange, Exchanged } from './exchange.ts';

/** What every delivery calls itself. */
export const userAgent = 'Service-Notifications/1.0';

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
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': userAgent,
    'Service-Signature': serviceSignature(secret, body, now),
    ...(hasStandardHeaders ? standardHeaders(secret, messageId, body, now) : {}),
  };
  return exchange.post({ url, headers, body, isAlone });
}
