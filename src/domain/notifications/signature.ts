import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import { Secret } from '../security/secret.ts';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** How much the signed timestamp may differ from the receiver's clock, in either direction. */
export const SIGNATURE_TOLERANCE_SECONDS = 300;

/** A new signing secret: `whsec_` and 32 random bytes in base64 (Standard Webhooks 1.0). */
export function generateSigningSecret(random: (size: number) => Buffer = randomBytes): Secret {
  return new Secret(SECRET_PREFIX + random(SECRET_BYTES).toString('base64'));
}

/** `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<body>`, keyed with the secret's literal text. */
export function serviceSignatureHeader(secret: Secret, body: Buffer, at: Date): string {
  const t = unixSeconds(at);
  return `t=${t},v1=${serviceDigest(secret, body, String(t)).toString('hex')}`;
}

/** The headers of Standard Webhooks 1.0: HMAC-SHA256 of `<id>.<t>.<body>`, keyed with the decoded secret. */
export function standardWebhooksHeaders(
  secret: Secret,
  messageId: string,
  body: Buffer,
  at: Date,
): { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string } {
  const t = String(unixSeconds(at));
  // A key object: with a plain buffer the digest takes four times as long.
  const key = createSecretKey(secret.reveal().slice(SECRET_PREFIX.length), 'base64');
  const digest = createHmac('sha256', key).update(`${messageId}.${t}.`).update(body).digest('base64');
  return { 'webhook-id': messageId, 'webhook-timestamp': t, 'webhook-signature': `v1,${digest}` };
}

/**
 * Whether a `Service-Signature` header fits the raw body as received, and its timestamp is not more than five minutes
 * from `now`: what a receiver has to verify. Signatures of other schemes than v1 are ignored.
 */
export function isServiceSignatureValid(secret: Secret, header: string, body: Buffer, now: Date): boolean {
  const parts = header.split(',').map((part) => part.split('=', 2) as [string, string | undefined]);
  const t = parts.find(([name]) => name === 't')?.[1];
  if (t === undefined || !/^\d{1,12}$/.test(t)) return false;
  if (Math.abs(now.getTime() / 1000 - Number(t)) > SIGNATURE_TOLERANCE_SECONDS) return false;
  const expected = serviceDigest(secret, body, t);
  return parts.some(
    ([name, hex]) => name === 'v1' && isDigest(hex) && timingSafeEqual(Buffer.from(hex, 'hex'), expected),
  );
}

function isDigest(hex: string | undefined): hex is string {
  return hex !== undefined && /^[0-9a-f]{64}$/.test(hex);
}

function serviceDigest(secret: Secret, body: Buffer, t: string): Buffer {
  return createHmac('sha256', secret.reveal()).update(`${t}.`).update(body).digest();
}

function unixSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}
