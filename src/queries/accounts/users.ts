import { sql } from 'kysely';
import type { Expression, SqlBool } from 'kysely';
import { USER_FIELD_NAMES } from '../../domain/users/users.ts';
import type { UserFields, UserRecord, Visibility } from '../../domain/users/users.ts';
import type { CursorPosition } from '../../domain/api/cursor.ts';
import type { Db, Tx } from '../connection/database.ts';

export interface UserScope {
  readonly orgId: string;
  readonly visibleTo: Visibility;
  readonly includeDeleted: boolean;
}

type StoredUser = Omit<UserRecord, `num_${string}`>;

const STORED_COLUMNS = [
  'users.org_id',
  'users.id',
  ...USER_FIELD_NAMES.map((name) => `users.${name}` as const),
  'users.location_last_updated',
  'users.created_at',
  'users.updated_at',
  'users.deleted_at',
] as const;

const INSERTED_NAMES = [
  'org_id',
  'id',
  ...USER_FIELD_NAMES,
  'location_last_updated',
  'created_at',
  'updated_at',
] as const;
/** The types of those that are not text. */
const INSERTED_TYPES: { readonly [Name in (typeof INSERTED_NAMES)[number]]?: string } = {
  org_id: 'uuid',
  id: 'uuid',
  latitude: 'double precision',
  longitude: 'double precision',
  location_last_updated: 'timestamptz',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
};

/** Users in order of creation, at most `limit` of them, from after `after`. */
export function listUsersPage(
  db: Db,
  scope: UserScope,
  page: { readonly after: CursorPosition | undefined; readonly limit: number },
): Promise<UserRecord[]> {
  let query = visibleUsers(db, scope).orderBy('users.created_at').orderBy('users.id').limit(page.limit);
  if (page.after !== undefined) {
    const { createdAt, id } = page.after;
    query = query.where(
      sql<SqlBool>`(users.created_at, users.id) > (${createdAt}::timestamptz, ${id}::uuid)`,
    );
  }
  return query.execute();
}

/** The user, if it is visible in this scope. */
export function findUser(db: Db, scope: UserScope, id: string): Promise<UserRecord | undefined> {
  return visibleUsers(db, scope).where('users.id', '=', id).executeTakeFirst();
}

/** The user, if it is visible in this scope: one that is not deleted first, then the one that was deleted last. */
export function findUserByExternalId(
  db: Db,
  scope: UserScope,
  externalUserId: string,
): Promise<UserRecord | undefined> {
  return visibleUsers(db, scope)
    .where('users.external_user_id', '=', externalUserId)
    .orderBy('users.deleted_at', (order) => order.desc().nullsFirst())
    .limit(1)
    .executeTakeFirst();
}

/** Locks a user until the end of the transaction; undefined when there is none or it is deleted. */
export async function lockUser(tx: Tx, orgId: string, id: string): Promise<StoredUser | undefined> {
  return tx
    .selectFrom('users')
    .select(STORED_COLUMNS)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Lets one transaction at a time decide who the organization's admins are. */
export async function lockOrganizationAdmins(tx: Tx, orgId: string): Promise<void> {
  await tx.selectFrom('organizations').select('id').where('id', '=', orgId).forNoKeyUpdate().execute();
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

/** The shard of user_counts that counts a new user, and the quota that it must have been granted under. */
export interface UserCountClaim {
  readonly partnerId: string;
  readonly shard: number;
  /** The partner's own quota, or else `fallback`; or the one that this transaction has granted. */
  readonly quota: { readonly fallback: number } | { readonly granted: number };
}

/**
 * Inserts a user and counts it, by one statement: the shard is locked no longer than the row needs. Undefined when the
 * shard is used up, or was granted under another quota. Breaks users_email_key or users_external_user_id_key when a user
 * of the organization who is not deleted has the value.
 */
export async function insertUser(
  db: Db | Tx,
  user: UserFields & { readonly org_id: string; readonly id: string },
  { partnerId, shard, quota }: UserCountClaim,
  now: Date,
): Promise<UserRecord | undefined> {
  const inForce =
    'granted' in quota
      ? sql`${quota.granted}::bigint`
      : sql`coalesce((select quota from partner_quotas where org_id = ${partnerId} and name = 'users'),
          ${quota.fallback}::bigint)`;
  const row = {
    ...user,
    location_last_updated: user.latitude === null ? null : now,
    created_at: now,
    updated_at: now,
  };
  const { rows } = await sql<StoredUser>`
    with counted as (
      update user_counts set users = users + 1
      where org_id = ${partnerId} and shard = ${shard} and users < granted and quota = ${inForce}
      returning shard
    )
    insert into users (${sql.join(INSERTED_NAMES.map((name) => sql.ref(name)))})
    select ${sql.join(INSERTED_NAMES.map((name) => sql`${row[name]}::${sql.raw(INSERTED_TYPES[name] ?? 'text')}`))}
    from counted
    returning ${sql.join(STORED_COLUMNS.map((column) => sql.ref(column)))}
  `.execute(db);
  const [stored] = rows;
  if (stored === undefined) return undefined;
  return { ...stored, num_electric_vehicles: 0, num_heat_pumps: 0, num_inverters: 0, num_wallboxes: 0 };
}

/** Breaks the same constraints as insertUser. */
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
 * Marks a user as deleted: the row stays, and its email is free again. True when it was a simulated household's, which no
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
    .returning('fleet_id')
    .executeTakeFirst();
  return row !== undefined && row.fleet_id !== null;
}

function visibleUsers(db: Db, { orgId, visibleTo, includeDeleted }: UserScope) {
  let query = db
    .selectFrom('users')
    // One scan of devices_user_idx for the four numbers.
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('devices')
          .select((count) => [
            count.fn
              .countAll<number>()
              .filterWhere('device_type', '=', 'electric_vehicle')
              .as('num_electric_vehicles'),
            count.fn.countAll<number>().filterWhere('device_type', '=', 'heat_pump').as('num_heat_pumps'),
            count.fn.countAll<number>().filterWhere('device_type', '=', 'inverter').as('num_inverters'),
            count.fn.countAll<number>().filterWhere('device_type', '=', 'wallbox').as('num_wallboxes'),
          ])
          .whereRef('devices.org_id', '=', 'users.org_id')
          .whereRef('devices.user_id', '=', 'users.id')
          .as('owned'),
      (join) => join.onTrue(),
    )
    .select(STORED_COLUMNS)
    .select(['num_electric_vehicles', 'num_heat_pumps', 'num_inverters', 'num_wallboxes'])
    .where('users.org_id', '=', orgId);
  if (visibleTo.kind !== 'all') {
    const { kind, self } = visibleTo;
    query = query.where((eb): Expression<SqlBool> =>
      kind === 'users'
        ? eb.or([eb('role', '=', 'user'), eb('users.id', '=', self)])
        : eb('users.id', '=', self),
    );
  }
  return includeDeleted ? query : query.where('users.deleted_at', 'is', null);
}
