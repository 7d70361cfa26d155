import { hashPassword, newInitialPassword, verifyPassword } from '../domain/security/passwords.ts';
import { Secret } from '../domain/security/secret.ts';
import { findAccountWithHash } from '../queries/accounts/accounts.ts';
import type { Account } from '../queries/accounts/accounts.ts';
import type { Db } from '../queries/connection/database.ts';
import { assignRequestToPartner } from '../queries/connection/request-scope.ts';

export type { Account } from '../queries/accounts/accounts.ts';

/** An account whose password was right. */
export interface VerifiedAccount extends Account {
  /** The hash that the password was compared with. */
  readonly passwordHash: Secret;
  /** The operator has suspended the partner: nothing may be opened. */
  readonly isSuspended: boolean;
}

/**
 * Checks a username and a password for a caller (an address, or a partner that is known), and resolves to the account when
 * they belong together.
 * @throws Problem overloaded (503) when too many passwords are being hashed.
 */
export type VerifyAccount = (
  username: string,
  password: string,
  caller: string,
) => Promise<VerifiedAccount | undefined>;

/** Password hashes take threads and memory that others need: few run at once, and callers take turns. */
export interface HashingTurns {
  run<Result>(caller: string, work: () => Promise<Result>): Promise<Result>;
}

/**
 * A function that verifies accounts of this database. It resolves to undefined for an unknown username, a user without
 * a password and a wrong password alike, and takes the same time for all three: where there is no password to compare
 * with, it compares with the hash of a random one. Once the password was right the request takes its connections from the
 * partner's share.
 */
export function createAccountVerifier(db: Db, turns: HashingTurns): VerifyAccount {
  let unusedHash: Promise<string> | undefined;
  const hashToCompare = (): Promise<string> => {
    unusedHash ??= hashPassword(newInitialPassword()).catch((error: unknown) => {
      unusedHash = undefined;
      throw error;
    });
    return unusedHash;
  };
  return async (username, password, caller) => {
    // PostgreSQL cannot store NUL in text, so no username contains it.
    const found = username.includes('\0') ? undefined : await findAccountWithHash(db, username);
    const isRight = await turns.run(caller, async () =>
      verifyPassword(password, found?.passwordHash ?? (await hashToCompare())),
    );
    if (!isRight || found === undefined) return undefined;
    const { account, partnerId, passwordHash, isSuspended } = found;
    assignRequestToPartner(partnerId);
    return { ...account, passwordHash: new Secret(passwordHash), isSuspended };
  };
}
