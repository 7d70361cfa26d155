// Usernames that are mapped as the service maps them: triggers that map what processes of the version before write are not on every database.
import type { Insertable } from 'kysely';
import type { UsersTable } from '../../generated/database.ts';
import type { AccountKey } from '../../src/queries/accounts/accounts.ts';
import { deleteUsername, insertUsername } from '../../src/queries/accounts/names.ts';
import type { Db } from '../../src/queries/connection/database.ts';

/** Writes a user straight into the tables who can sign in. */
export async function insertNamedUser(
  db: Db,
  user: Insertable<UsersTable> & { readonly username: string },
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await insertUsername(tx, user.org_id, user.username);
    await tx.insertInto('users').values(user).execute();
  });
}

/** Sets the hash of somebody's password, as nobody but a test may without knowing the one before. */
export async function givePassword(db: Db, { orgId, userId }: AccountKey, hash: string): Promise<void> {
  await db
    .updateTable('users')
    .set({ password_hash: hash, password_change_required: false, initial_password_expires_at: null })
    .where('org_id', '=', orgId)
    .where('id', '=', userId)
    .execute();
}

/** Gives a user this username in place of the present one. */
export async function giveUsername(db: Db, { orgId, userId }: AccountKey, username: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const user = await tx
      .selectFrom('users')
      .select('username')
      .where('org_id', '=', orgId)
      .where('id', '=', userId)
      .executeTakeFirstOrThrow();
    if (user.username !== null) await deleteUsername(tx, orgId, user.username);
    await insertUsername(tx, orgId, username);
    await tx
      .updateTable('users')
      .set({ username })
      .where('org_id', '=', orgId)
      .where('id', '=', userId)
      .execute();
  });
}
