import { newUnmatchableHash } from '../domain/security/passwords.ts';
import type { PasswordHasher } from '../domain/security/passwords.ts';
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
  /** The root organization: `orgId` itself or its parent. */
  readonly partnerId: string;
  /** The operator has suspended the partner: nothing may be opened. */
  readonly isSuspended: boolean;
}

/** Whose turn a hash takes: that of a partner that has been proven, or of an address of which nothing else is known. */
type HashingCaller = { readonly partnerId: string } | { readonly address: string };

/** Who gives a username and a password: a proven partner's client or person, or a browser. */
type PasswordCaller =
  | { readonly partnerId: string }
  | {
      readonly address: string;
      /** It has signed in to this account before, or is signed in to it now. */
      readonly isKnownBrowser: boolean;
    };

/**
 * Checks a username and a password for a caller, and resolves to the account when they belong together. A browser that has signed
 * in to the account takes the turn of the account's partner.
 * @throws Problem overloaded (503) when too many passwords are being hashed.
 */
export type VerifyAccount = (
  username: string,
  password: string,
  caller: PasswordCaller,
) => Promise<VerifiedAccount | undefined>;

/** Password hashes take threads and memory that others need: few run at once, and callers take turns. */
export interface HashingTurns {
  run<Result>(caller: HashingCaller, work: (hasher: PasswordHasher) => Promise<Result>): Promise<Result>;
}

/**
 * A function that verifies accounts of this database. It resolves to undefined for an unknown username, a user without
 * a password and a wrong password alike, and takes the same time for all three: where there is no password to compare
 * with, it compares with a hash that none fits. Once the password was right the request takes its connections from the
 * partner's share.
 */
export function createAccountVerifier(db: Db, turns: HashingTurns): VerifyAccount {
  const unmatchableHash = newUnmatchableHash();
  return async (username, password, caller) => {
    // PostgreSQL cannot store NUL in text, so no username contains it.
    const found = username.includes('\0') ? undefined : await findAccountWithHash(db, username);
    const isRight = await turns.run(toHashingCaller(caller, found?.partnerId), (hasher) =>
      hasher.verify(password, found?.passwordHash ?? unmatchableHash),
    );
    if (!isRight || found === undefined) return undefined;
    const { account, partnerId, passwordHash, isSuspended } = found;
    assignRequestToPartner(partnerId);
    return { ...account, partnerId, passwordHash: new Secret(passwordHash), isSuspended };
  };
}

function toHashingCaller(caller: PasswordCaller, partnerId: string | undefined): HashingCaller {
  if ('partnerId' in caller) return caller;
  const { address, isKnownBrowser } = caller;
  return isKnownBrowser && partnerId !== undefined ? { partnerId } : { address };
}
