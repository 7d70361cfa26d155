import { randomBytes, randomInt, scrypt, scryptSync, timingSafeEqual } from 'node:crypto';
import type { ScryptOptions } from 'node:crypto';

/**
 * Of OWASP's settings for scrypt, which are equally strong, one with 32 MiB: what one hash takes is not felt by others. A stored
 * hash names its own setting; `maxmem` lets through those of up to 64 MiB.
 */
const SCRYPT_COST = { N: 32_768, r: 8, p: 3, maxmem: 96 * 1024 * 1024 } satisfies ScryptOptions;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';

/** One computation of a key from a password, which takes some 0.2 s of processor time. */
export interface KeyTask {
  readonly password: string;
  readonly salt: Uint8Array;
  readonly options: ScryptOptions;
}

/** Makes and checks hashes of passwords. */
export interface PasswordHasher {
  /** `scrypt$N$r$p$salt$key`, salt and key in base64. */
  hash(password: string): Promise<string>;
  /** Takes the same time for a wrong password as for a right one; false for a hash of another form. */
  verify(password: string, hash: string): Promise<boolean>;
}

/** A hasher whose keys are computed by `derive`, on whatever threads that has. */
export function createPasswordHasher(derive: (task: KeyTask) => Promise<Uint8Array>): PasswordHasher {
  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      return formatHash(salt, await derive({ password, salt, options: SCRYPT_COST }));
    },
    async verify(password, hash) {
      const [scheme, n, r, p, salt, key] = hash.split('$');
      if (scheme !== 'scrypt' || salt === undefined || key === undefined) return false;
      const expected = Buffer.from(key, 'base64');
      const options = { N: Number(n), r: Number(r), p: Number(p), maxmem: SCRYPT_COST.maxmem };
      const actual = await derive({ password, salt: Buffer.from(salt, 'base64'), options });
      return actual.length === expected.length && timingSafeEqual(actual, expected);
    },
  };
}

/** Computes on the threads that Node has for such work: for commands, and where nobody else waits. */
export const passwordHasher: PasswordHasher = createPasswordHasher(deriveKeyOnNodesThreads);

/** Computes in the thread that calls it. */
export function deriveKeyNow({ password, salt, options }: KeyTask): Uint8Array {
  return scryptSync(password.normalize('NFKC'), salt, KEY_BYTES, options);
}

/** A hash to compare with where there is none: it costs as much as any other, and no password fits it. */
export function newUnmatchableHash(): string {
  return formatHash(randomBytes(SALT_BYTES), randomBytes(KEY_BYTES));
}

/** An initial password: 20 characters without look-alikes, about 116 bits. */
export function newInitialPassword(): string {
  return Array.from({ length: 20 }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('');
}

function formatHash(salt: Uint8Array, key: Uint8Array): string {
  const { N, r, p } = SCRYPT_COST;
  const inBase64 = [salt, key].map((bytes) => Buffer.from(bytes).toString('base64'));
  return ['scrypt', N, r, p, ...inBase64].join('$');
}

function deriveKeyOnNodesThreads({ password, salt, options }: KeyTask): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}
