import type { Role } from '../../domain/users/roles.ts';
import type { Db } from '../connection/database.ts';

/** A user as the portal's list shows it. */
export interface PortalUser {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  /** Null until the user has had a first password. */
  readonly username: string | null;
  readonly updatedAt: Date;
}

export interface PortalUserFilter {
  /** Emails that begin so, whatever the letter case. */
  readonly prefix: string;
  /** The email after which the page begins. */
  readonly after: string;
  readonly limit: number;
}

const COLUMNS = ['id', 'email', 'role', 'username', 'updated_at'] as const;

interface Row {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly username: string | null;
  readonly updated_at: Date;
}

/** Users who are not deleted, by email, which is unique in lower case among them and carries the keyset (users_email_key). */
export async function listPortalUsers(
  db: Db,
  orgId: string,
  filter: PortalUserFilter,
): Promise<PortalUser[]> {
  let query = db
    .selectFrom('users')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .where('deleted_at', 'is', null)
    .where((eb) => eb(eb.fn('lower', ['email']), '>', eb.fn('lower', [eb.val(filter.after)])));
  if (filter.prefix !== '') {
    query = query.where((eb) =>
      eb.fn<boolean>('starts_with', [eb.fn('lower', ['email']), eb.fn('lower', [eb.val(filter.prefix)])]),
    );
  }
  const rows = await query
    .orderBy((eb) => eb.fn('lower', ['email']))
    .limit(filter.limit)
    .execute();
  return rows.map(toPortalUser);
}

/** A user of the organization who is not deleted; undefined when there is none. */
export async function findPortalUser(db: Db, orgId: string, id: string): Promise<PortalUser | undefined> {
  const row = await db
    .selectFrom('users')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row === undefined ? undefined : toPortalUser(row);
}

function toPortalUser(row: Row): PortalUser {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    username: row.username,
    updatedAt: row.updated_at,
  };
}
