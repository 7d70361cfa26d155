import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const CLIENT_ID_LENGTH = 40;
const CLIENT_SECRET_LENGTH = 128;

const TOKEN_PREFIX = 'pat_';
const ID_BYTES = 16;
const RANDOM_BYTES = 16;
const CREDENTIAL_PATTERN = new RegExp(`^(?:${TOKEN_PREFIX})?([\\w-]{43})$`);

/** 40 alphanumeric characters, so that form-encoding the Basic credentials changes nothing. */
export function newClientId(): string {
  return alphanumeric(CLIENT_ID_LENGTH);
}

/** 128 alphanumeric characters. */
export function newClientSecret(): string {
  return alphanumeric(CLIENT_SECRET_LENGTH);
}

/**
 * The value of a credential of an organization, which is looked up by both: 43 characters of base64url, the 16 bytes of the
 * organization's id and 128 random bits.
 */
export function newOrganizationCredential(orgId: string): string {
  const id = Buffer.from(orgId.replaceAll('-', ''), 'hex');
  return Buffer.concat([id, randomBytes(RANDOM_BYTES)]).toString('base64url');
}

/** An opaque access token; the prefix lets secret scanners recognise a leaked one. */
export function newAccessToken(orgId: string): string {
  return `${TOKEN_PREFIX}${newOrganizationCredential(orgId)}`;
}

/**
 * The organization that a presented token or session names, which says nothing yet of whether there is such a credential; undefined
 * when it is none of ours.
 */
export function readOrganizationId(credential: string): string | undefined {
  const encoded = CREDENTIAL_PATTERN.exec(credential)?.[1];
  if (encoded === undefined) return undefined;
  const digits = Buffer.from(encoded, 'base64url').toString('hex', 0, ID_BYTES);
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
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
