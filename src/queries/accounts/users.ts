import { sql } from 'kysely';
import { USER_FIELD_NAMES } from '../../domain/users/users.ts';
import type { UserFields, UserRecord } from '../../domain/users/users.ts';
import type { Db, Tx } from '../connection/database.ts';
import { prepare, prepareShapes } from '../connection/prepared.ts';
import { STORED_COLUMNS } from './visible-users.ts';

type StoredUser = Omit<UserRecord, `num_${string}`>;

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
  const row = {
    ...user,
    location_last_updated: user.latitude === null ? null : now,
    created_at: now,
    updated_at: now,
  };
  const isGranted = 'granted' in quota;
  const count = { partnerId, shard, quota: isGranted ? quota.granted : quota.fallback };
  const rows = await insertCounted({ isGranted })(db, { ...row, ...count });
  const [stored] = rows;
  if (stored === undefined) return undefined;
  return { ...stored, num_electric_vehicles: 0, num_heat_pumps: 0, num_inverters: 0, num_wallboxes: 0 };
}

interface InsertedRow extends UserFields {
  readonly org_id: string;
  readonly id: string;
  readonly location_last_updated: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

interface Count {
  readonly partnerId: string;
  readonly shard: number;
  readonly quota: number;
}

const insertCounted = prepareShapes(
  (_db, { isGranted }: { readonly isGranted: boolean }, values: InsertedRow & Count) => {
    const { partnerId, shard, quota } = values;
    const inForce = isGranted
      ? sql`${quota}::bigint`
      : sql`coalesce((select quota from partner_quotas where org_id = ${partnerId} and name = 'users'),
          ${quota}::bigint)`;
    const row = INSERTED_NAMES.map(
      (name) => sql`${values[name]}::${sql.raw(INSERTED_TYPES[name] ?? 'text')}`,
    );
    return sql<StoredUser>`
      with counted as (
        update user_counts set users = users + 1
        where org_id = ${partnerId} and shard = ${shard} and users < granted and quota = ${inForce}
        returning shard
      )
      insert into users (${sql.join(INSERTED_NAMES.map((name) => sql.ref(name)))})
      select ${sql.join(row)}
      from counted
      returning ${sql.join(STORED_COLUMNS.map((column) => sql.ref(column)))}
    `;
  },
  'text',
);

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
