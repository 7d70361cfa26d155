import { randomBytes, scryptSync } from 'node:crypto';
import { passwordHasher } from '../../src/domain/security/passwords.ts';
import type { PasswordHasher } from '../../src/domain/security/passwords.ts';

// A hash names its own cost: one of a hundredth is verified like any other, without half a second of processor time each.
const COST = { N: 1024, r: 8, p: 1 };

/** What the database would hold for an account with this password, as `hashPassword` writes it. */
export function hashCheaply(password: string): string {
  const salt = randomBytes(16);
  const key = scryptSync(password.normalize('NFKC'), salt, 32, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64'), key.toString('base64')].join('$');
}

/** Makes cheap hashes; verifies each at the cost that it names. */
export const cheapHasher: PasswordHasher = {
  hash: (password) => Promise.resolve(hashCheaply(password)),
  verify: (password, hash) => passwordHasher.verify(password, hash),
};
