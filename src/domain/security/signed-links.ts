import { createHmac, createSecretKey, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { HOUR_MS } from '../api/durations.ts';

/**
 * Signs resolution links; derived from the encryption key, so that every process signs alike. A key object: with its bytes a
 * signature takes 25 µs in place of 3, and a page of notices has a hundred.
 */
export type LinkKey = KeyObject;

/** A link is good for one hour after the answer that carried it (specification, "Limits"). */
export const LINK_LIFETIME_MS = HOUR_MS;

export type LinkStatus = 'valid' | 'expired' | 'invalid';

/** The expiry, and the 43 characters of 32 bytes. */
const LINK_PATTERN = /^([0-9a-z]{1,11})\.[\w-]{43}$/;

/** What a link is bound to; because of its purpose, a link of one kind is not valid as another. */
export interface LinkSubject {
  readonly purpose: 'resolve' | 'consent';
  readonly itemId: string;
  readonly ownerId: string;
}

/** The key that signs links, from the encryption key by HKDF-SHA-256 (RFC 5869): 32 bytes. */
export function deriveLinkKey(encryptionKey: Buffer): LinkKey {
  return createSecretKey(Buffer.from(hkdfSync('sha256', encryptionKey, '', 'resolution links', 32)));
}

/** `<expiry in unix milliseconds, base 36>.<HMAC-SHA256, base64url>`. */
export function signLink(key: LinkKey, subject: LinkSubject, now: Date): string {
  const expiry = (now.getTime() + LINK_LIFETIME_MS).toString(36);
  return `${expiry}.${computeMac(key, subject, expiry).digest('base64url')}`;
}

/**
 * Whether the link was signed for this subject. One that was altered or signed for another subject is invalid; one that
 * was valid is expired after its hour.
 */
export function verifyLink(key: LinkKey, subject: LinkSubject, secret: string, now: Date): LinkStatus {
  const [expiry = '', signature = '', ...rest] = secret.split('.');
  const offered = Buffer.from(signature, 'base64url');
  const expected = computeMac(key, subject, expiry).digest();
  if (rest.length > 0 || offered.length !== expected.length || !timingSafeEqual(offered, expected))
    return 'invalid';
  return now.getTime() <= Number.parseInt(expiry, 36) ? 'valid' : 'expired';
}

/**
 * Whether a secret could be that of a link whose hour is not over, told from the secret alone. Whether it was signed is not looked
 * at, which needs the item's owner.
 */
export function isLinkPlausible(secret: string, now: Date): boolean {
  const expiry = LINK_PATTERN.exec(secret)?.[1];
  return expiry !== undefined && now.getTime() <= Number.parseInt(expiry, 36);
}

function computeMac(key: LinkKey, { purpose, itemId, ownerId }: LinkSubject, expiry: string) {
  return createHmac('sha256', key).update(`${purpose}\n${itemId}\n${ownerId}\n${expiry}`);
}
