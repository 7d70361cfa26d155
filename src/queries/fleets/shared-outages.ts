import { sql } from 'kysely';
import type { RawBuilder, Selectable, SqlBool } from 'kysely';
import type { Database } from '../../../generated/database.ts';
import { isActiveUser } from '../accounts/active-users.ts';
import type { Db, Tx } from '../connection/database.ts';
import { deleteBatch } from '../connection/delete-batch.ts';
import { distanceKm } from './distance.ts';

/** What an outage strikes, by its cause: the devices of a manufacturer, or of households by place or user. */
export type OutageSubject =
  | { readonly cause: 'manufacturer_cloud'; readonly manufacturer: string }
  | { readonly cause: 'region'; readonly country: string }
  | {
      readonly cause: 'region';
      readonly latitude: number;
      readonly longitude: number;
      readonly radiusKm: number;
    }
  | { readonly cause: 'household_router'; readonly userIds: readonly string[] };

/** An outage of many devices of a simulation organization. */
export interface SharedOutage {
  readonly orgId: string;
  readonly id: string;
  readonly subject: OutageSubject;
  /** Of a region those whose users lived there at the time of the call, by index; null for other causes. */
  readonly households: readonly number[] | null;
  readonly startsAt: Date;
  readonly endsAt: Date;
  /** The call that raised it. */
  readonly requestId: string | null;
}

export async function insertSharedOutage(tx: Tx, outage: SharedOutage): Promise<void> {
  const { orgId, id, subject, households, startsAt, endsAt, requestId } = outage;
  const circle = 'radiusKm' in subject ? subject : undefined;
  await tx
    .insertInto('shared_outages')
    .values({
      org_id: orgId,
      id,
      cause: subject.cause,
      manufacturer: 'manufacturer' in subject ? subject.manufacturer : null,
      country: 'country' in subject ? subject.country : null,
      latitude: circle?.latitude ?? null,
      longitude: circle?.longitude ?? null,
      radius_km: circle?.radiusKm ?? null,
      user_ids: 'userIds' in subject ? [...subject.userIds] : null,
      household_indexes: households && [...households],
      starts_at: startsAt,
      ends_at: endsAt,
      request_id: requestId,
    })
    .execute();
}

/** Outages of an organization that have not ended, or not struck all their devices. */
export async function countOpenOutages(tx: Tx, orgId: string, now: Date): Promise<number> {
  const { count } = await tx
    .selectFrom('shared_outages')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('org_id', '=', orgId)
    .where((eb) => eb.or([eb('ends_at', '>', now), eb('is_applied', '=', false)]))
    .executeTakeFirstOrThrow();
  return count;
}

/** The households whose users live in the region of an outage now, by index; null for other causes. */
export async function findHouseholdsInRegion(
  tx: Tx,
  orgId: string,
  subject: OutageSubject,
): Promise<readonly number[] | null> {
  if (subject.cause !== 'region') return null;
  const livesThere =
    'country' in subject
      ? sql`u.country = ${subject.country}`
      : sql`${distanceKm(subject)} <= ${subject.radiusKm}::double precision`;
  const { rows } = await sql<{ indexes: number[] }>`
    select coalesce(array_agg(u.household_index order by u.household_index), '{}') as indexes from users u
    where u.org_id = ${orgId} and u.household_index is not null and u.deleted_at is null and ${livesThere}
  `.execute(tx);
  return rows[0]?.indexes ?? [];
}

/** The simulated devices of an organization that an outage strikes and whose user is not deleted. */
export async function countStruckDevices(
  db: Db | Tx,
  { orgId, subject, households }: Pick<SharedOutage, 'orgId' | 'subject' | 'households'>,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from devices d
    where d.org_id = ${orgId} and d.household_index is not null
      and ${strikes(orgId, subject, sql`select unnest(${households && [...households]}::integer[])`)}
  `.execute(db);
  return rows[0]?.count ?? 0;
}

/** Whether an outage strikes the device `d`; of a region those of some households. */
const strikes = (orgId: string, subject: OutageSubject, households: RawBuilder<unknown>) =>
  sql<SqlBool>`${isSubject(subject, households)} and ${isActiveUser(orgId, 'd.user_id')}`;

function isSubject(subject: OutageSubject, households: RawBuilder<unknown>): RawBuilder<SqlBool> {
  switch (subject.cause) {
    case 'manufacturer_cloud':
      return sql`d.manufacturer = ${subject.manufacturer}`;
    case 'household_router':
      return sql`d.user_id = any(${[...subject.userIds]}::uuid[])`;
    case 'region':
      return sql`d.household_index in (${households})`;
  }
}

/** Which of these users have no simulated household in the organization, or are deleted. */
export async function listStrangers(tx: Tx, orgId: string, userIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select wanted.id from unnest(${[...userIds]}::uuid[]) wanted (id)
    where not exists (
      select from users u where u.org_id = ${orgId} and u.id = wanted.id and u.deleted_at is null and u.household_index is not null)
  `.execute(tx);
  return rows.map(({ id }) => id);
}

/** An outage of which devices are left to be taken offline, with its fleet. */
export interface UnappliedOutage {
  readonly orgId: string;
  readonly id: string;
  readonly fleetOrgId: string;
  readonly fleetId: string;
}

/** Of each partner that is not suspended the oldest outage that has not struck all its devices yet. */
export async function listUnappliedOutages(db: Db): Promise<UnappliedOutage[]> {
  const { rows } = await sql<UnappliedOutage>`
    select distinct on (f.org_id) o.org_id as "orgId", o.id, f.org_id as "fleetOrgId", f.id as "fleetId"
    from shared_outages o
    join fleets f on f.simulation_org_id = o.org_id
    join organizations p on p.id = f.org_id
    where not o.is_applied and p.suspended_at is null
    order by f.org_id, o.starts_at, o.id
  `.execute(db);
  return rows;
}

/** An outage held by the transaction; the households of a region stay in the database. */
export interface ClaimedOutage extends Omit<SharedOutage, 'households'> {
  /** The last device that it has struck; null before the first. */
  readonly afterDeviceId: string | null;
}

/** Undefined when the outage has struck all its devices, or another worker is at it. */
export async function claimOutage(
  tx: Tx,
  { orgId, id }: Pick<UnappliedOutage, 'orgId' | 'id'>,
): Promise<ClaimedOutage | undefined> {
  const row = await tx
    .selectFrom('shared_outages')
    .select([...SUBJECT_COLUMNS, 'starts_at', 'ends_at', 'request_id', 'after_device_id'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('is_applied', '=', false)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    orgId,
    id,
    subject: toSubject(row),
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    requestId: row.request_id,
    afterDeviceId: row.after_device_id,
  };
}

const SUBJECT_COLUMNS = [
  'cause',
  'manufacturer',
  'country',
  'latitude',
  'longitude',
  'radius_km',
  'user_ids',
] as const;
type SubjectRow = Pick<Selectable<Database['shared_outages']>, (typeof SUBJECT_COLUMNS)[number]>;

/** The row's check `shared_outages_subject_check` says which columns are set. */
function toSubject(row: SubjectRow): OutageSubject {
  switch (row.cause) {
    case 'manufacturer_cloud':
      return { cause: row.cause, manufacturer: row.manufacturer ?? '' };
    case 'household_router':
      return { cause: row.cause, userIds: row.user_ids ?? [] };
    case 'region': {
      const { cause, country, latitude, longitude, radius_km: radiusKm } = row;
      if (country !== null) return { cause, country };
      return { cause, latitude: latitude ?? 0, longitude: longitude ?? 0, radiusKm: radiusKm ?? 0 };
    }
  }
}

/** The next devices that an outage strikes, at most `limit`, by id; those that are newer than the outage are not struck. */
export async function listNextStruckDevices(
  tx: Tx,
  { orgId, id, subject, startsAt, afterDeviceId }: ClaimedOutage,
  limit: number,
): Promise<string[]> {
  const households = sql`select unnest(household_indexes) from shared_outages where org_id = ${orgId} and id = ${id}`;
  const isNext = afterDeviceId === null ? sql`true` : sql`d.id > ${afterDeviceId}`;
  const { rows } = await sql<{ id: string }>`
    select d.id from devices d
    where d.org_id = ${orgId} and d.household_index is not null and d.created_at <= ${startsAt} and ${isNext}
      and ${strikes(orgId, subject, households)}
    order by d.id limit ${sql.lit(limit)}
  `.execute(tx);
  return rows.map(({ id }) => id);
}

/** Records the last device that was struck; undefined: there are no more. */
export async function updateOutageProgress(
  tx: Tx,
  { orgId, id }: Pick<UnappliedOutage, 'orgId' | 'id'>,
  afterDeviceId: string | undefined,
): Promise<void> {
  await tx
    .updateTable('shared_outages')
    .set(afterDeviceId === undefined ? { is_applied: true } : { after_device_id: afterDeviceId })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

/** Deletes at most `limit` outages that have struck all their devices and are over, for the longest time first; the number deleted. */
export function deleteOutagesEndedBefore(db: Db, now: Date, limit: number): Promise<number> {
  return deleteBatch(
    db,
    'shared_outages',
    sql`where is_applied and ends_at <= ${now} order by ends_at`,
    limit,
  );
}
