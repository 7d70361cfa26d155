import { createAccountVerifier } from '../../src/accounts/sign-in.ts';
import type { HashingTurns, VerifiedAccount } from '../../src/accounts/sign-in.ts';
import { passwordHasher } from '../../src/domain/security/passwords.ts';
import type { Db } from '../../src/queries/connection/database.ts';

/** Every hash at once, as many as are asked for. */
export const unlimitedHashing: HashingTurns = { run: (_caller, work) => work(passwordHasher) };

/** Verifies an account of the database, whoever else does. */
export function accountVerifier(
  db: Db,
): (username: string, password: string) => Promise<VerifiedAccount | undefined> {
  const verify = createAccountVerifier(db, unlimitedHashing);
  return (username, password) => verify(username, password, { partnerId: 'test' });
}
