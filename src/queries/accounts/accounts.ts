import { hashPassword, verifyPassword, newInitialPassword } from '../../domain/security/passwords.ts';
import type { Role } from '../../domain/users/roles.ts';
import type { Db, Tx } from '../connection/database.ts';

/** A person who can sign in: a live user with a username. The password's hash never leaves this file. */
export interface Account {
  readonly orgId: string;
  readonly userId: string;
  /** Unique on the server, whatever the letter case. */
  readonly username: string;
  readonly email: string;
  readonly role: Role;
  /** The password is still the initial one: nothing is open before it was changed. */
  readonly passwordChangeRequired: boolean;
}

export type AccountKey = Pick<Account, 'orgId' | 'userId'>;

export interface NewAdmin extends AccountKey {
  readonly email: string;
  readonly username: string;
  readonly passwordHash: string;
}

const columns = [
  'org_id',
  'id',
  'username',
  'email',
  'role',
  'password_hash',
  'password_change_required',
] as const;

interface Row {
  readonly org_id: string;
  readonly id: string;
  readonly username: string | null;
  readonly email: string;
  readonly role: Role;
  readonly password_hash: string | null;
  readonly password_change_required: boolean;
}

// Something to compare with where there is no account, so that both cases take the same time.
let nobodysHash: Promise<string> | undefined;

function hashOfNobody(): Promise<string> {
  if (nobodysHash === undefined) {
    nobodysHash = hashPassword(newInitialPassword());
    nobodysHash.catch(() => (nobodysHash = undefined));
  }
  return nobodysHash;
}

/**
 * The account, if the password is right. An unknown username, a user without a password and a wrong password are
 * one answer and take the same time.
 */
export async function verifyAccount(
  db: Db,
  username: string,
  password: string,
): Promise<Account | undefined> {
  const row = await findRow(db, username);
  const stored = row?.password_hash ?? undefined;
  const matches = await verifyPassword(password, stored ?? (await hashOfNobody()));
  return matches && stored !== undefined && row !== undefined ? toAccount(row) : undefined;
}

/** The person's own choice: the account is open from now on. False when the user has no username or is deleted. */
export async function setPassword(db: Db, key: AccountKey, password: string, now: Date): Promise<boolean> {
  const passwordHash = await hashPassword(password);
  const row = await db
    .updateTable('users')
    .set({ password_hash: passwordHash, password_change_required: false, updated_at: now })
    .where('org_id', '=', key.orgId)
    .where('id', '=', key.userId)
    .where('deleted_at', 'is', null)
    .where('username', 'is not', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Gives a live user an initial password, and a username if there is none yet. Undefined when the organization has
 * no user with this email. A username that another user has breaks the constraint users_username_key.
 */
export async function setInitialPassword(
  tx: Tx,
  user: { readonly orgId: string; readonly email: string },
  usernameIfNone: string,
  passwordHash: string,
  now: Date,
): Promise<(AccountKey & Pick<Account, 'username'>) | undefined> {
  const row = await tx
    .updateTable('users')
    .set((eb) => ({
      username: eb.fn.coalesce('username', eb.val(usernameIfNone)),
      password_hash: passwordHash,
      password_change_required: true,
      updated_at: now,
    }))
    .where('org_id', '=', user.orgId)
    .where((eb) => eb(eb.fn('lower', ['email']), '=', eb.fn('lower', [eb.val(user.email)])))
    .where('deleted_at', 'is', null)
    .returning(['id', 'username'])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return { orgId: user.orgId, userId: row.id, username: row.username ?? usernameIfNone };
}

/** An organization's first admin, whose initial password must be changed. */
export async function insertAdmin(tx: Tx, admin: NewAdmin, now: Date): Promise<void> {
  await tx
    .insertInto('users')
    .values({
      org_id: admin.orgId,
      id: admin.userId,
      email: admin.email,
      role: 'admin',
      username: admin.username,
      password_hash: admin.passwordHash,
      password_change_required: true,
      created_at: now,
      updated_at: now,
    })
    .execute();
}

async function findRow(db: Db, username: string): Promise<Row | undefined> {
  // PostgreSQL's text holds no NUL, and so no username does.
  if (username.includes('\0')) return undefined;
  return db
    .selectFrom('users')
    .select(columns)
    .where((eb) => eb(eb.fn('lower', ['username']), '=', eb.fn('lower', [eb.val(username)])))
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Undefined for a user who has no username and so cannot sign in. */
function toAccount(row: Row): Account | undefined {
  if (row.username === null) return undefined;
  return {
    orgId: row.org_id,
    userId: row.id,
    username: row.username,
    email: row.email,
    role: row.role,
    passwordChangeRequired: row.password_change_required,
  };
}
