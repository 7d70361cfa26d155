import type { UserFields, UserRecord } from '../../domain/users/users.ts';
import type { Tx } from '../connection/database.ts';
import { deleteClientIds, deleteUsername } from './names.ts';
import { lockOrganization } from './organization-locks.ts';
import { prepare } from '../connection/prepared.ts';
import { STORED_COLUMNS } from './visible-users.ts';

type StoredUser = Omit<UserRecord, `num_${string}`>;

/** Locks a user until the end of the transaction; undefined when there is none or it is deleted. */
export async function lockUser(tx: Tx, orgId: string, id: string): Promise<StoredUser | undefined> {
  const [user] = await selectLocked(tx, { orgId, id });
  return user;
}

const selectLocked = prepare(
  (db, { orgId, id }: { readonly orgId: string; readonly id: string }) =>
    db
      .selectFrom('users')
      .select(STORED_COLUMNS)
      .where('org_id', '=', orgId)
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .forNoKeyUpdate(),
  'text',
);

/** Lets one transaction at a time decide who the organization's admins are. */
export function lockOrganizationAdmins(tx: Tx, orgId: string): Promise<void> {
  return lockOrganization(tx, orgId);
}

/** Whether the organization has another admin who is not deleted. Stays true until the commit only under lockOrganizationAdmins. */
export async function hasOtherAdmin(tx: Tx, orgId: string, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('users')
    .select('id')
    .where('org_id', '=', orgId)
    .where('role', '=', 'admin')
    .where('id', '!=', id)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Breaks users_email_key or users_external_user_id_key when another user of the organization who is not deleted has the value. */
export async function updateUser(
  tx: Tx,
  key: { readonly orgId: string; readonly id: string },
  changes: Partial<UserFields>,
  now: Date,
): Promise<void> {
  const moved = changes.latitude !== undefined || changes.longitude !== undefined;
  await tx
    .updateTable('users')
    .set({ ...changes, ...(moved ? { location_last_updated: now } : {}), updated_at: now })
    .where('org_id', '=', key.orgId)
    .where('id', '=', key.id)
    .execute();
}

/**
 * Marks a user as deleted: the row stays, its email and its username are free again, and client ids of its applications lead nowhere. True when it was a simulated household's, which no
 * shard of user_counts counts.
 */
export async function softDeleteUser(
  tx: Tx,
  key: { readonly orgId: string; readonly id: string },
  now: Date,
): Promise<boolean> {
  const row = await tx
    .updateTable('users')
    .set({ deleted_at: now, updated_at: now })
    .where('org_id', '=', key.orgId)
    .where('id', '=', key.id)
    .returning(['fleet_id', 'username'])
    .executeTakeFirst();
  if (row === undefined) return false;
  if (row.username !== null) await deleteUsername(tx, key.orgId, row.username);
  await deleteClientIdsOfOwner(tx, key);
  return row.fleet_id !== null;
}

async function deleteClientIdsOfOwner(
  tx: Tx,
  { orgId, id }: { readonly orgId: string; readonly id: string },
): Promise<void> {
  const applications = await tx
    .selectFrom('applications')
    .select('client_id')
    .where('org_id', '=', orgId)
    .where('owner_user_id', '=', id)
    .execute();
  const clientIds = applications.map(({ client_id: clientId }) => clientId);
  await deleteClientIds(tx, orgId, clientIds);
}
