import type { DeviceType } from '../../domain/fleets/devices.ts';
import { sql } from 'kysely';
import { deleteNamesOfHouseholds } from '../accounts/names.ts';
import type { Db, Tx } from '../connection/database.ts';
import { unnestRows } from '../connection/rows.ts';

/** A household with its user, as it is provisioned. */
export interface NewHousehold {
  readonly household_index: number;
  readonly household_id: string;
  readonly user_id: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly country: string | null;
  readonly group_name: string;
  readonly profile: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly location_source: 'density' | 'fixed' | 'default';
  readonly attributes: unknown;
}

export interface NewHouseholdDevice {
  readonly id: string;
  readonly user_id: string;
  readonly device_type: DeviceType;
  readonly household_index: number;
  readonly name: string;
  readonly manufacturer: string;
  readonly model: string;
  readonly ratings: unknown;
}

/** A condition that is due by plan and does not hold yet. */
export interface PlannedCondition {
  readonly device_id: string;
  readonly code: string;
  readonly begins_at: Date;
}

export interface HouseholdBatch {
  /** The simulation organization. */
  readonly orgId: string;
  readonly fleetId: string;
  readonly households: readonly NewHousehold[];
  readonly devices: readonly NewHouseholdDevice[];
  readonly conditions: readonly PlannedCondition[];
}

/** Writes users, households, devices and planned conditions; rows that exist already stay as they are. */
export async function insertHouseholds(tx: Tx, batch: HouseholdBatch, now: Date): Promise<void> {
  await insertUsers(tx, batch, now);
  await insertHouseholdRows(tx, batch, now);
  await insertDevices(tx, batch, now);
  if (batch.conditions.length > 0) await insertPlannedConditions(tx, batch, now);
}

async function insertUsers(tx: Tx, batch: HouseholdBatch, now: Date): Promise<void> {
  await sql`
    insert into users (org_id, id, email, role, first_name, last_name, country, latitude, longitude,
      location_last_updated, fleet_id, household_index, created_at, updated_at)
    select ${batch.orgId}, user_id, email, 'user', first_name, last_name, country, latitude, longitude,
      ${now}, ${batch.fleetId}, household_index, ${now}, ${now}
    from ${unnestRows(batch.households, {
      household_index: 'integer',
      user_id: 'uuid',
      email: 'text',
      first_name: 'text',
      last_name: 'text',
      country: 'text',
      latitude: 'double precision',
      longitude: 'double precision',
    })}
    on conflict on constraint users_pkey do nothing
  `.execute(tx);
}

async function insertHouseholdRows(tx: Tx, batch: HouseholdBatch, now: Date): Promise<void> {
  await sql`
    insert into households (org_id, fleet_id, household_index, household_id, user_id, group_name, profile, latitude,
      longitude, location_source, attributes, created_at)
    select ${batch.orgId}, ${batch.fleetId}, household_index, household_id, user_id, group_name, profile, latitude,
      longitude, location_source, attributes, ${now}
    from ${unnestRows(batch.households, {
      household_index: 'integer',
      household_id: 'uuid',
      user_id: 'uuid',
      group_name: 'text',
      profile: 'text',
      latitude: 'double precision',
      longitude: 'double precision',
      location_source: 'text',
      attributes: 'jsonb',
    })}
    on conflict on constraint households_pkey do nothing
  `.execute(tx);
}

async function insertDevices(tx: Tx, batch: HouseholdBatch, now: Date): Promise<void> {
  await sql`
    insert into devices (org_id, id, user_id, device_type, fleet_id, household_index, name, manufacturer, model,
      ratings, created_at)
    select ${batch.orgId}, id, user_id, device_type, ${batch.fleetId}, household_index, name, manufacturer, model, ratings, ${now}
    from ${unnestRows(batch.devices, {
      id: 'uuid',
      user_id: 'uuid',
      device_type: 'text',
      household_index: 'integer',
      name: 'text',
      manufacturer: 'text',
      model: 'text',
      ratings: 'jsonb',
    })}
    on conflict on constraint devices_pkey do nothing
  `.execute(tx);
}

async function insertPlannedConditions(tx: Tx, batch: HouseholdBatch, now: Date): Promise<void> {
  await sql`
    insert into device_conditions (org_id, device_id, code, active, begins_at, changed_at)
    select ${batch.orgId}, device_id, code, false, begins_at, ${now}
    from ${unnestRows(batch.conditions, {
      device_id: 'uuid',
      code: 'text',
      begins_at: 'timestamptz',
    })}
    on conflict on constraint device_conditions_pkey do nothing
  `.execute(tx);
}

/** Removes the households from `index` on, with users, devices and all that belongs to them. */
export async function deleteHouseholdsFrom(tx: Tx, orgId: string, index: number): Promise<void> {
  await deleteNamesOfHouseholds(tx, orgId, index);
  await sql`
    delete from devices where org_id = ${orgId} and household_index >= ${index}
  `.execute(tx);
  await sql`
    delete from applications a using households h
    where h.org_id = ${orgId} and h.household_index >= ${index} and a.org_id = h.org_id
      and a.owner_user_id = h.user_id
  `.execute(tx);
  await sql`
    delete from users u using households h
    where h.org_id = ${orgId} and h.household_index >= ${index} and u.org_id = h.org_id and u.id = h.user_id
  `.execute(tx);
  await sql`
    delete from households where org_id = ${orgId} and household_index >= ${index}
  `.execute(tx);
}

/** Location of a household; without one of its own the coordinates and the source are null. */
export interface HouseholdLocationRow {
  readonly household_id: string;
  readonly household_index: number;
  readonly user_id: string;
  readonly group_name: string;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly location_source: 'density' | 'fixed' | 'default' | null;
}

/** Up to `limit` households of a simulation organization behind the index `after`, in the order of the index. */
export function listHouseholdLocations(
  db: Db,
  orgId: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<HouseholdLocationRow[]> {
  return db
    .selectFrom('households')
    .select([
      'household_id',
      'household_index',
      'user_id',
      'group_name',
      'latitude',
      'longitude',
      'location_source',
    ])
    .where('org_id', '=', orgId)
    .where('household_index', '>', after)
    .orderBy('household_index')
    .limit(limit)
    .execute();
}
