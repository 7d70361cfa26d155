import { randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto';
import type { ScryptOptions } from 'node:crypto';

// OWASP's scrypt setting of 2023 with the least memory that it still lists: N = 2^16, r = 8, p = 2.
const SCRYPT_COST = { N: 65_536, r: 8, p: 2, maxmem: 96 * 1024 * 1024 } satisfies ScryptOptions;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';

/** `scrypt$N$r$p$salt$key`, salt and key in base64. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(password, salt, SCRYPT_COST);
  return formatHash(salt, key);
}

/** A hash to compare with where there is none: it costs as much as any other, and no password fits it. */
export function newUnmatchableHash(): string {
  return formatHash(randomBytes(SALT_BYTES), randomBytes(KEY_BYTES));
}

/** Takes the same time for a wrong password as for a right one; false for a hash of another form. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [scheme, n, r, p, salt, key] = hash.split('$');
  if (scheme !== 'scrypt' || salt === undefined || key === undefined) return false;
  const expected = Buffer.from(key, 'base64');
  const options = { N: Number(n), r: Number(r), p: Number(p), maxmem: SCRYPT_COST.maxmem };
  const actual = await derive(password, Buffer.from(salt, 'base64'), options);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

/** An initial password: 20 characters without look-alikes, about 116 bits. */
export function newInitialPassword(): string {
  return Array.from({ length: 20 }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('');
}

function formatHash(salt: Buffer, key: Buffer): string {
  const { N, r, p } = SCRYPT_COST;
  return ['scrypt', N, r, p, salt.toString('base64'), key.toString('base64')].join('$');
}

function derive(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}
