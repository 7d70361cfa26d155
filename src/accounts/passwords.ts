import { hashPassword, newInitialPassword } from '../domain/security/passwords.ts';
import { Secret } from '../domain/security/secret.ts';
import { updateInitialPasswordByEmail, updatePassword } from '../queries/accounts/accounts.ts';
import type { AccountKey } from '../queries/accounts/accounts.ts';
import type { Db } from '../queries/connection/database.ts';
import { deletePortalSessionsOfUser } from '../queries/accounts/portal-sessions.ts';
import { createSession } from './sessions.ts';
import { withFreeUsername } from './usernames.ts';

export interface InitialPassword {
  readonly username: string;
  readonly password: Secret;
}

/**
 * An initial password for a user of an organization, who so becomes able to sign in (or has forgotten the old one,
 * which ends, and with it the user's portal sessions). Undefined when the organization has no user with this email.
 */
export async function issueInitialPassword(
  db: Db,
  user: { readonly orgId: string; readonly email: string },
  now: Date,
): Promise<InitialPassword | undefined> {
  const password = newInitialPassword();
  const passwordHash = await hashPassword(password);
  const account = await withFreeUsername(user.email, user.orgId, (candidate) =>
    db.transaction().execute(async (tx) => {
      const changed = await updateInitialPasswordByEmail(tx, user, candidate, passwordHash, now);
      if (changed !== undefined) await deletePortalSessionsOfUser(tx, changed);
      return changed;
    }),
  );
  return account && { username: account.username, password: new Secret(password) };
}

/**
 * Stores the password that a person has chosen. Every session of the person ends with the old password; the value of
 * the cookie of a new one is returned. Undefined when the user has no username or is deleted: nothing is changed.
 */
export async function changePassword(
  db: Db,
  person: AccountKey,
  password: string,
  now: Date,
): Promise<string | undefined> {
  const passwordHash = await hashPassword(password);
  return db.transaction().execute(async (tx) => {
    if (!(await updatePassword(tx, person, passwordHash, now))) return undefined;
    await deletePortalSessionsOfUser(tx, person);
    return createSession(tx, person, now);
  });
}
