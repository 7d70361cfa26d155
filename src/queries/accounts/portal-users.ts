import type { Role } from '../../domain/users/roles.ts';
import type { Visibility } from '../../domain/users/users.ts';
import type { Db } from '../connection/database.ts';

/** A user as the portal's list shows it. */
export interface PortalUser {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  /** Null until the user has had a first password. */
  readonly username: string | null;
  /** Whether the password is an initial one, still to be changed. */
  readonly hasInitialPassword: boolean;
  /** First and last name; empty when neither is known. */
  readonly name: string;
  readonly updatedAt: Date;
}

export interface PortalUserFilter {
  /** Emails that begin so, whatever the letter case. */
  readonly prefix: string;
  /** The email after which the page begins. */
  readonly after: string;
  readonly limit: number;
}

const COLUMNS = [
  'id',
  'email',
  'role',
  'username',
  'password_change_required',
  'first_name',
  'last_name',
  'updated_at',
] as const;

interface Row {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly username: string | null;
  readonly password_change_required: boolean;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly updated_at: Date;
}

/** Users whom somebody sees and who are not deleted, by email, which is unique in lower case among them and carries the keyset (users_email_key). */
export async function listPortalUsers(
  db: Db,
  { orgId, visibleTo }: { readonly orgId: string; readonly visibleTo: Visibility },
  filter: PortalUserFilter,
): Promise<PortalUser[]> {
  let query = db
    .selectFrom('users')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .where('deleted_at', 'is', null)
    .where((eb) => eb(eb.fn('lower', ['email']), '>', eb.fn('lower', [eb.val(filter.after)])));
  if (visibleTo.kind !== 'all') {
    const { kind, self } = visibleTo;
    query = query.where((eb) =>
      eb.or([eb('id', '=', self), ...(kind === 'users' ? [eb('role', '=', 'user')] : [])]),
    );
  }
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

/** How each of these users is called, by id: by name, otherwise by email; those who are deleted or of others are left out. */
export async function nameUsers(
  db: Db,
  orgId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('users')
    .select(['id', 'email', 'first_name', 'last_name'])
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .execute();
  return new Map(rows.map((row) => [row.id, joinNames(row) || row.email]));
}

/** The one of these organizations that a user belongs to who is not deleted; undefined when none has the user. */
export async function findOrganizationOfUser(
  db: Db,
  orgIds: readonly string[],
  id: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('users')
    .select('org_id')
    .where('org_id', 'in', orgIds)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row?.org_id;
}

function toPortalUser(row: Row): PortalUser {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    username: row.username,
    hasInitialPassword: row.password_change_required,
    name: joinNames(row),
    updatedAt: row.updated_at,
  };
}

/** First and last name; empty when neither is known. */
function joinNames({ first_name: first, last_name: last }: Pick<Row, 'first_name' | 'last_name'>): string {
  return [first, last].filter((part) => part !== null).join(' ');
}
