import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { USER_FIELD_NAMES } from '../../domain/users/users.ts';
import type { UserFields, UserRecord } from '../../domain/users/users.ts';
import type { Db, Tx } from '../connection/database.ts';
import { prepareShapes } from '../connection/prepared.ts';
import { toColumns, unnestColumns } from '../connection/rows.ts';
import type { Columns } from '../connection/rows.ts';

/** A user as it is to be stored; `now` is the instant of its creation. */
export interface NewUser extends UserFields {
  readonly id: string;
  readonly now: Date;
}

/** Where new users of an organization are counted, and the quota that the counting shard must have been granted under. */
export interface UserCountClaim {
  readonly orgId: string;
  readonly partnerId: string;
  /** The first shard that is tried; 0 comes after the last one. */
  readonly shard: number;
  /** Whether shards that somebody has locked are passed over, or the first one that has room is waited for. */
  readonly whenLocked: 'skip' | 'wait';
  /** The partner's own quota, or else `fallback`; or the one that this transaction has granted. */
  readonly quota: { readonly fallback: number } | { readonly granted: number };
}

/** What becomes of a user whose email or external_user_id is taken: the statement fails, or the user is left out. */
export type WhenTaken = 'fail' | 'leave_out';

/** What is passed of each user. */
const COLUMN_TYPES: Readonly<Record<keyof NewUser, string>> = {
  ...(Object.fromEntries(USER_FIELD_NAMES.map((name) => [name, 'text'])) as Record<keyof UserFields, string>),
  id: 'uuid',
  latitude: 'double precision',
  longitude: 'double precision',
  now: 'timestamptz',
};

/**
 * Inserts users of one organization and counts them, by one statement, in a shard that has room for all. Resolves to the users
 * by their places, undefined for who is left out; or to undefined when there is no such shard, or with `wait` when the one that
 * was waited for has no room any more. With `fail`, breaks users_email_key or users_external_user_id_key when a user of the organization
 * who is not deleted has the value.
 */
export async function insertUsers(
  db: Db | Tx,
  users: readonly NewUser[],
  { orgId, partnerId, shard, whenLocked, quota }: UserCountClaim,
  whenTaken: WhenTaken,
): Promise<(UserRecord | undefined)[] | undefined> {
  const isGranted = 'granted' in quota;
  const rows = await insertCounted({ isGranted, whenLocked, whenTaken })(db, {
    orgId,
    partnerId,
    shard,
    quota: isGranted ? quota.granted : quota.fallback,
    count: users.length,
    ...toColumns(users, COLUMN_TYPES),
  });
  if (rows.length === 0) return undefined;
  const inserted = new Set(rows.map(({ id }) => id));
  return users.map((user) => (inserted.has(user.id) ? toRecord(user, orgId) : undefined));
}

/** What the row says: every value is stored as it is given. */
function toRecord({ now, ...user }: NewUser, orgId: string): UserRecord {
  const at = now.toISOString();
  return {
    ...user,
    org_id: orgId,
    location_last_updated: user.latitude === null ? null : at,
    created_at: at,
    updated_at: at,
    deleted_at: null,
    num_electric_vehicles: 0,
    num_heat_pumps: 0,
    num_inverters: 0,
    num_wallboxes: 0,
  };
}

interface Shape {
  readonly isGranted: boolean;
  readonly whenLocked: 'skip' | 'wait';
  readonly whenTaken: WhenTaken;
}

interface Values extends Columns<NewUser> {
  readonly orgId: string;
  readonly partnerId: string;
  readonly shard: number;
  readonly quota: number;
  readonly count: number;
}

/**
 * The shard is locked before any row of users, and counts those that were inserted; no id says that the shard was had and all are left out.
 * Batches insert in one order of emails, so that two with the same ones do not wait for each other.
 */
const insertCounted = prepareShapes((_db, { isGranted, whenLocked, whenTaken }: Shape, values: Values) => {
  const { orgId, partnerId, quota, count } = values;
  const inForce = isGranted
    ? sql`${quota}::bigint`
    : sql`coalesce((select quota from partner_quotas where org_id = ${partnerId} and name = 'users'), ${quota}::bigint)`;
  const hasRoom = sql`users + ${count}::bigint <= granted and quota = ${inForce}`;
  const fields = sql.join(USER_FIELD_NAMES.map((name) => sql.ref(name)));
  return sql<{ id: string | null }>`
    with ${whenLocked === 'skip' ? countingUnlocked(values, hasRoom) : countingFirst(values, hasRoom)}, inserted as (
      insert into users (org_id, id, ${fields}, location_last_updated, created_at, updated_at)
      select ${orgId}::uuid, id, ${fields}, case when latitude is null then null else now end, now, now
      from counting, ${unnestColumns<NewUser>(values, COLUMN_TYPES)}
      ${sql.raw(whenTaken === 'leave_out' ? 'order by lower(email) on conflict do nothing' : '')}
      returning id
    ), counted as (
      update user_counts set users = users + (select count(*) from inserted)
      where org_id = ${partnerId} and shard = (select shard from counting)
    )
    select inserted.id from counting left join inserted on true
  `;
});

/** A read that ends at the first shard it finds, and seldom goes on with those before the given one. */
function countingUnlocked({ partnerId, shard }: Values, hasRoom: RawBuilder<unknown>): RawBuilder<unknown> {
  const first = (shards: RawBuilder<unknown>) => sql`
    select shard from user_counts
    where org_id = ${partnerId} and ${shards} and ${hasRoom}
    order by shard limit 1
    for no key update skip locked`;
  return sql`
    ahead as (${first(sql`shard >= ${shard}`)}),
    behind as (${first(sql`shard >= 0 and shard < ${shard} and not exists (select from ahead)`)}),
    counting as (select shard from ahead union all select shard from behind)`;
}

/** One shard alone: who waits for a second one while it holds the first may wait in a circle. */
function countingFirst({ partnerId, shard }: Values, hasRoom: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    counting as (
      select shard from user_counts
      where org_id = ${partnerId} and ${hasRoom} and shard = (
        select shard from user_counts where org_id = ${partnerId} and shard >= 0 and ${hasRoom}
        order by shard < ${shard}, shard limit 1
      )
      for no key update
    )`;
}
