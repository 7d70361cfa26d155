import { hashPassword, newInitialPassword, verifyPassword } from '../domain/security/passwords.ts';
import { findAccountWithHash } from '../queries/accounts/accounts.ts';
import type { Account } from '../queries/accounts/accounts.ts';
import type { Db } from '../queries/connection/database.ts';

export type { Account } from '../queries/accounts/accounts.ts';

/** Checks a username and a password, and resolves to the account when they belong together. */
export type VerifyAccount = (username: string, password: string) => Promise<Account | undefined>;

/**
 * A function that verifies accounts of this database. It resolves to undefined for an unknown username, a user without
 * a password and a wrong password alike, and takes the same time for all three: where there is no password to compare
 * with, it compares with the hash of a random one.
 */
export function createAccountVerifier(db: Db): VerifyAccount {
  let unusedHash: Promise<string> | undefined;
  const hashToCompare = (): Promise<string> => {
    unusedHash ??= hashPassword(newInitialPassword()).catch((error: unknown) => {
      unusedHash = undefined;
      throw error;
    });
    return unusedHash;
  };
  return async (username, password) => {
    // PostgreSQL cannot store NUL in text, so no username contains it.
    const found = username.includes('\0') ? undefined : await findAccountWithHash(db, username);
    const isRight = await verifyPassword(password, found?.passwordHash ?? (await hashToCompare()));
    return isRight ? found?.account : undefined;
  };
}
