import { HOUR_MS } from '../domain/api/durations.ts';
import { newInitialPassword, passwordHasher } from '../domain/security/passwords.ts';
import type { PasswordHasher } from '../domain/security/passwords.ts';
import { Secret } from '../domain/security/secret.ts';
import { updateInitialPasswordByEmail, updatePassword } from '../queries/accounts/accounts.ts';
import type { Account, AccountKey, UserToReceive } from '../queries/accounts/accounts.ts';
import { deletePasswordGrantTokens } from '../queries/accounts/access-tokens.ts';
import type { Db, Tx } from '../queries/connection/database.ts';
import { deletePortalSessionsOfUser } from '../queries/accounts/portal-sessions.ts';
import { createSession } from './sessions.ts';
import type { VerifiedAccount } from './sign-in.ts';
import { withFreeUsername } from './usernames.ts';

/** An initial password that nobody has replaced after so many hours is refused. */
export const INITIAL_PASSWORD_HOURS = 72;

export interface InitialPassword {
  readonly userId: string;
  readonly username: string;
  readonly password: Secret;
}

/** When an initial password that is issued now ends. */
export function toInitialPasswordEnd(now: Date): Date {
  return new Date(now.getTime() + INITIAL_PASSWORD_HOURS * HOUR_MS);
}

/** Whether the password is an initial one whose time is over. */
export function isInitialPasswordExpired(
  { initialPasswordExpiresAt: end }: Pick<Account, 'initialPasswordExpiresAt'>,
  now: Date,
): boolean {
  return end !== null && end <= now;
}

/**
 * An initial password for a user of an organization, who so becomes able to sign in (or has forgotten the old one,
 * which ends, and with it all that was opened by it: portal sessions and tokens of the password grant). Undefined when the
 * organization has no user with this email, or the user was changed since `updatedAt`. What `show` throws, before the commit, undoes everything.
 */
export async function issueInitialPassword(
  db: Db,
  user: UserToReceive,
  now: Date,
  hasher: PasswordHasher = passwordHasher,
  show: (issued: InitialPassword) => void = () => undefined,
): Promise<InitialPassword | undefined> {
  const password = newInitialPassword();
  const initial = { hash: await hasher.hash(password), expiresAt: toInitialPasswordEnd(now) };
  return withFreeUsername(user.email, user.orgId, (candidate) =>
    db.transaction().execute(async (tx) => {
      const changed = await updateInitialPasswordByEmail(tx, user, candidate, initial, now);
      if (changed === undefined) return undefined;
      await endWhatPasswordOpened(tx, changed);
      const issued = { userId: changed.userId, username: changed.username, password: new Secret(password) };
      show(issued);
      return issued;
    }),
  );
}

/**
 * Stores the password that a person has chosen, whose old one was right. Every session of the person ends with the old password, and
 * every token that the password grant has issued; the value of the cookie of a new session is returned. Undefined when the old
 * password was changed or reset meanwhile, or the user is deleted: nothing is changed, so that no change undoes a reset.
 */
export async function changePassword(
  db: Db,
  person: Pick<VerifiedAccount, 'orgId' | 'userId' | 'passwordHash'>,
  password: string,
  now: Date,
  hasher: PasswordHasher = passwordHasher,
): Promise<string | undefined> {
  const hashes = { verified: person.passwordHash.reveal(), chosen: await hasher.hash(password) };
  return db.transaction().execute(async (tx) => {
    if (!(await updatePassword(tx, person, hashes, now))) return undefined;
    await endWhatPasswordOpened(tx, person);
    return createSession(tx, person, now);
  });
}

/** Tokens of applications stay: they were obtained by the application's secret. */
async function endWhatPasswordOpened(tx: Tx, person: AccountKey): Promise<void> {
  await deletePortalSessionsOfUser(tx, person);
  await deletePasswordGrantTokens(tx, person);
}
