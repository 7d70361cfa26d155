import { sql } from 'kysely';
import type { Role } from '../../domain/users/roles.ts';
import type { Db, Tx } from '../connection/database.ts';
import { findOrganizationOfUsername, insertUsername } from './names.ts';
import { changeUserCount, userShardOf } from './user-counts.ts';

/** A person who can sign in: a user with a username who is not deleted. */
export interface Account {
  readonly orgId: string;
  readonly userId: string;
  /** Unique on the server, whatever the letter case. */
  readonly username: string;
  readonly email: string;
  readonly role: Role;
  /** The password is still the initial one: nothing is open before it was changed. */
  readonly passwordChangeRequired: boolean;
  /** When an initial password ends; null once the person has chosen one. */
  readonly initialPasswordExpiresAt: Date | null;
}

export type AccountKey = Pick<Account, 'orgId' | 'userId'>;

/** A user who is to receive an initial password. */
export interface UserToReceive {
  readonly orgId: string;
  readonly email: string;
  /** Only a user who was not changed since. */
  readonly updatedAt?: Date;
}

export interface NewAdmin extends AccountKey {
  readonly email: string;
  readonly username: string;
  readonly passwordHash: string;
  readonly passwordExpiresAt: Date;
}

export interface AccountWithHash {
  readonly account: Account;
  /** The root organization: the account's own or its parent. */
  readonly partnerId: string;
  readonly passwordHash: string;
  /** The operator has suspended the partner. */
  readonly isSuspended: boolean;
}

/**
 * Whether the user's password is still the one with this hash. True holds the user's row in share mode: what the
 * transaction obtains by the password is committed before a change of the password, which ends it.
 */
export async function lockUnchangedPassword(tx: Tx, key: AccountKey, passwordHash: string): Promise<boolean> {
  const row = await tx
    .selectFrom('users')
    .select('id')
    .where('org_id', '=', key.orgId)
    .where('id', '=', key.userId)
    .where('password_hash', '=', passwordHash)
    .where('deleted_at', 'is', null)
    .forShare()
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * The person's own choice in place of the password with the hash `verified`: the account is open from now on. False when the
 * password is another one by now, or the user is deleted.
 */
export async function updatePassword(
  db: Db,
  key: AccountKey,
  { verified, chosen }: { readonly verified: string; readonly chosen: string },
  now: Date,
): Promise<boolean> {
  const row = await db
    .updateTable('users')
    .set({
      password_hash: chosen,
      password_change_required: false,
      initial_password_expires_at: null,
      updated_at: now,
    })
    .where('org_id', '=', key.orgId)
    .where('id', '=', key.userId)
    .where('password_hash', '=', verified)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Gives a user who is not deleted an initial password, and a username if there is none yet. Undefined when the organization has
 * no such user. A username that another user has breaks the constraint usernames_pkey.
 */
export async function updateInitialPasswordByEmail(
  tx: Tx,
  user: UserToReceive,
  usernameIfNone: string,
  password: { readonly hash: string; readonly expiresAt: Date },
  now: Date,
): Promise<(AccountKey & Pick<Account, 'username'>) | undefined> {
  const { orgId } = user;
  const found = await lockUserByEmail(tx, user);
  if (found === undefined || isChangedSince(found.updated_at, user.updatedAt)) return undefined;
  if (found.username === null) await insertUsername(tx, orgId, usernameIfNone);
  const username = found.username ?? usernameIfNone;
  await tx
    .updateTable('users')
    .set({
      username,
      password_hash: password.hash,
      password_change_required: true,
      initial_password_expires_at: password.expiresAt,
      updated_at: now,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', found.id)
    .execute();
  return { orgId, userId: found.id, username };
}

function isChangedSince(changedAt: Date, seenAt = changedAt): boolean {
  return changedAt.getTime() !== seenAt.getTime();
}

function lockUserByEmail(tx: Tx, { orgId, email }: UserToReceive) {
  return tx
    .selectFrom('users')
    .select(['id', 'username', 'updated_at'])
    .where('org_id', '=', orgId)
    .where((eb) => eb(eb.fn('lower', ['email']), '=', eb.fn('lower', [eb.val(email)])))
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** A partner organization's first admin, whose initial password must be changed. Breaks usernames_pkey when the username is taken. */
export async function insertFirstAdmin(tx: Tx, admin: NewAdmin, now: Date): Promise<void> {
  await insertUsername(tx, admin.orgId, admin.username);
  await changeUserCount(tx, admin.orgId, userShardOf(admin.userId), 1);
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
      initial_password_expires_at: admin.passwordExpiresAt,
      created_at: now,
      updated_at: now,
    })
    .execute();
}

/** A username as the database compares it: two that name the same account are the same text. */
export async function normaliseUsername(db: Db, username: string): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select lower(${username.replaceAll('\0', '')}::text) as name`.execute(db);
  return rows[0]?.name ?? '';
}

/**
 * The account with this username, whatever the letter case, its partner, the hash of its password, and whether the partner is
 * suspended. Undefined when there is none or its user is deleted or has no password.
 */
export async function findAccountWithHash(db: Db, username: string): Promise<AccountWithHash | undefined> {
  const orgId = await findOrganizationOfUsername(db, username);
  if (orgId === undefined) return undefined;
  const row = await db
    .selectFrom('users')
    .innerJoin('organizations as organization', 'organization.id', 'users.org_id')
    .leftJoin('organizations as parent', 'parent.id', 'organization.parent_org_id')
    .select([
      'users.org_id',
      'users.id',
      'users.username',
      'users.email',
      'users.role',
      'users.password_hash',
      'users.password_change_required',
      'users.initial_password_expires_at',
      'organization.parent_org_id',
      sql<boolean>`coalesce(parent.suspended_at, organization.suspended_at) is not null`.as('is_suspended'),
    ])
    .where('users.org_id', '=', orgId)
    .where((eb) => eb(eb.fn('lower', ['users.username']), '=', eb.fn('lower', [eb.val(username)])))
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined || row.username === null || row.password_hash === null) return undefined;
  const account = {
    orgId: row.org_id,
    userId: row.id,
    username: row.username,
    email: row.email,
    role: row.role,
    passwordChangeRequired: row.password_change_required,
    initialPasswordExpiresAt: row.initial_password_expires_at,
  };
  const partnerId = row.parent_org_id ?? row.org_id;
  return { account, partnerId, passwordHash: row.password_hash, isSuspended: row.is_suspended };
}
