import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const CLIENT_ID_LENGTH = 40;
const CLIENT_SECRET_LENGTH = 128;

/** 40 alphanumeric characters, so that form-encoding the Basic credentials changes nothing. */
export function newClientId(): string {
  return alphanumeric(CLIENT_ID_LENGTH);
}

/** 128 alphanumeric characters. */
export function newClientSecret(): string {
  return alphanumeric(CLIENT_SECRET_LENGTH);
}

/** An opaque access token of 256 random bits; the prefix lets secret scanners recognise a leaked one. */
export function newAccessToken(): string {
  return `pat_${randomBytes(32).toString('base64url')}`;
}

/** Digest under which tokens, client secrets and session cookies are stored. Only for values with 128 random bits or more. */
export function sha256Digest(value: string): Buffer {
  return createHash('sha256').update(value, 'utf8').digest();
}

/** Constant-time comparison of a presented value with a stored digest. */
export function matchesDigest(value: string, stored: Uint8Array): boolean {
  const actual = sha256Digest(value);
  return actual.length === stored.length && timingSafeEqual(actual, stored);
}

function alphanumeric(length: number): string {
  return Array.from({ length }, () => ALPHANUMERIC.charAt(randomInt(ALPHANUMERIC.length))).join('');
}
