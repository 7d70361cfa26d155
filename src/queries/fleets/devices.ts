import type { DeviceRatings, DeviceType } from '../../domain/fleets/devices.ts';
import { sql } from 'kysely';
import type { ExpressionBuilder, RawBuilder, SqlBool } from 'kysely';
import type { Database } from '../../../generated/database.ts';
import { isActiveUser } from '../accounts/active-users.ts';
import type { StoredCheckpoint } from './checkpoints.ts';
import type { Db, Tx } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

/** A device with what its state follows from; of a device that is not simulated the fleet's part is null. */
export interface DeviceRow {
  readonly org_id: string;
  readonly id: string;
  readonly user_id: string;
  readonly device_type: DeviceType;
  readonly fleet_id: string | null;
  readonly household_index: number | null;
  readonly name: string;
  readonly manufacturer: string;
  readonly model: string;
  readonly ratings: DeviceRatings;
  readonly group_name: string | null;
  readonly profile: string | null;
  /** What was drawn for the household. */
  readonly attributes: unknown;
  /** Another one whenever what steers the household has changed; 0 where nothing was ever asked. */
  readonly control_version: number | null;
  readonly household_created_at: Date | null;
  /** The latest that is stored of the household. */
  readonly checkpoint: StoredCheckpoint | null;
  /** When the device's fleet ended. */
  readonly stopped_at: Date | null;
  readonly is_offline: boolean;
}

/** Devices of an organization with household, fleet and outage, in one query whatever the number of rows. */
function devicesWithHouseholds(db: Db | Tx, orgId: string) {
  return db
    .selectFrom('devices')
    .leftJoin('households', (join) =>
      join
        .onRef('households.org_id', '=', 'devices.org_id')
        .onRef('households.household_index', '=', 'devices.household_index'),
    )
    .leftJoin('household_checkpoints', (join) =>
      join
        .onRef('household_checkpoints.org_id', '=', 'devices.org_id')
        .onRef('household_checkpoints.household_index', '=', 'devices.household_index'),
    )
    .leftJoin('fleets', (join) =>
      join
        .onRef('fleets.simulation_org_id', '=', 'devices.org_id')
        .onRef('fleets.id', '=', 'devices.fleet_id'),
    )
    .select((eb) => [
      'devices.org_id',
      'devices.id',
      'devices.user_id',
      'devices.device_type',
      'devices.fleet_id',
      'devices.household_index',
      'devices.name',
      'devices.manufacturer',
      'devices.model',
      eb.ref('devices.ratings').$castTo<DeviceRatings>().as('ratings'),
      'households.group_name',
      'households.profile',
      'households.attributes',
      'households.control_version',
      'households.created_at as household_created_at',
      sql<StoredCheckpoint | null>`to_jsonb(household_checkpoints)`.as('checkpoint'),
      'fleets.stopped_at',
      isOffline(eb, orgId).as('is_offline'),
    ])
    .where('devices.org_id', '=', orgId);
}

function isOffline(eb: ExpressionBuilder<Database, 'devices'>, orgId: string) {
  return eb
    .exists(
      eb
        .selectFrom('device_conditions')
        .select('device_conditions.code')
        .where('device_conditions.org_id', '=', orgId)
        .whereRef('device_conditions.device_id', '=', 'devices.id')
        .where('device_conditions.code', '=', 'device_offline')
        .where('device_conditions.active', '=', true),
    )
    .$castTo<boolean>();
}

/** Values that occur nowhere match nothing. */
export interface DeviceFilter {
  readonly group?: string | undefined;
  readonly deviceType?: string | undefined;
}

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/**
 * Simulated devices of a fleet by household, then type. The page is chosen first and joined after; each filter has an index in
 * the order of the list (devices_household_idx, devices_type_idx, households_group_idx).
 */
export function listFleetDevices(
  db: Db | Tx,
  simulationOrgId: string,
  filter: DeviceFilter,
  page: Page,
): Promise<DeviceRow[]> {
  return devicesWithHouseholds(db, simulationOrgId)
    .where(sql<SqlBool>`devices.id = any(array(${pageOfDevices(simulationOrgId, filter, page)}))`)
    .orderBy('devices.household_index')
    .orderBy('devices.device_type')
    .orderBy('devices.id')
    .execute();
}

/** The ids. Limits are written out: the planner takes one that it does not know for a tenth of the table. */
function pageOfDevices(
  orgId: string,
  { group, deviceType }: DeviceFilter,
  { limit, offset }: Page,
): RawBuilder<unknown> {
  const ofType = deviceType === undefined ? sql`true` : sql`devices.device_type = ${deviceType}`;
  const place = group === undefined ? sql.ref('devices.household_index') : sql.ref('member.household_index');
  const ofGroup =
    group === undefined
      ? sql`where`
      : sql`join households member on member.org_id = devices.org_id and member.household_index = devices.household_index
          where member.org_id = ${orgId} and member.group_name = ${group} and`;
  return sql`
    select devices.id from devices ${ofGroup} devices.org_id = ${orgId} and devices.household_index is not null
      and ${ofType} and ${isActiveUser(orgId, 'devices.user_id')}
    order by ${place}, devices.device_type, devices.id
    limit ${sql.lit(limit)} offset ${sql.lit(offset)}`;
}

/** The number of simulated devices of a fleet that match a filter and whose user is not deleted, as it is kept. */
export async function countMatchingDevices(
  db: Db | Tx,
  simulationOrgId: string,
  { group, deviceType }: DeviceFilter,
): Promise<number> {
  let query = db
    .selectFrom('device_counts')
    .select(({ fn }) => fn.sum<number | null>('devices').as('count'))
    .where('org_id', '=', simulationOrgId);
  if (group !== undefined) query = query.where('group_name', '=', group);
  if (deviceType !== undefined) query = query.where('device_type', '=', deviceType);
  const { count } = await query.executeTakeFirstOrThrow();
  return count ?? 0;
}

/** The devices of a user, of one type, by id. */
export function listUserDevices(
  db: Db | Tx,
  orgId: string,
  userId: string,
  type: DeviceType,
): Promise<DeviceRow[]> {
  return selectOfUser(db, { orgId, userId, type });
}

interface OwnedType {
  readonly orgId: string;
  readonly userId: string;
  readonly type: DeviceType;
}

const selectOfUser = prepare((db, { orgId, userId, type }: OwnedType) =>
  devicesWithHouseholds(db, orgId)
    .where('devices.user_id', '=', userId)
    .where('devices.device_type', '=', type)
    .orderBy('devices.id'),
);

/** A device of a user by id; undefined when the user has none of that type and id. */
export async function findUserDevice(
  db: Db | Tx,
  orgId: string,
  userId: string,
  type: DeviceType,
  deviceId: string,
): Promise<DeviceRow | undefined> {
  const [device] = await selectOne(db, { orgId, userId, type, deviceId });
  return device;
}

const selectOne = prepare(
  (db, { orgId, userId, type, deviceId }: OwnedType & { readonly deviceId: string }) =>
    devicesWithHouseholds(db, orgId)
      .where('devices.id', '=', deviceId)
      .where('devices.user_id', '=', userId)
      .where('devices.device_type', '=', type),
);

/** The simulated inverter of a user who is not deleted, with its household. */
export async function findSimulatedInverter(
  db: Db | Tx,
  orgId: string,
  userId: string,
  inverterId: string,
): Promise<SimulatedInverter | undefined> {
  const [inverter] = await selectInverter(db, { orgId, userId, inverterId });
  return inverter;
}

const selectInverter = prepare(
  (db, key: { readonly orgId: string; readonly userId: string; readonly inverterId: string }) =>
    db
      .selectFrom('devices')
      .innerJoin('users', (join) =>
        join.onRef('users.org_id', '=', 'devices.org_id').onRef('users.id', '=', 'devices.user_id'),
      )
      .innerJoin('households', (join) =>
        join
          .onRef('households.org_id', '=', 'devices.org_id')
          .onRef('households.household_index', '=', 'devices.household_index'),
      )
      .select(['devices.org_id', 'devices.id', 'devices.user_id', 'households.attributes'])
      .where('devices.org_id', '=', key.orgId)
      .where('devices.id', '=', key.inverterId)
      .where('devices.user_id', '=', key.userId)
      .where('devices.device_type', '=', 'inverter')
      .where('users.deleted_at', 'is', null),
);

export interface SimulatedInverter {
  readonly org_id: string;
  readonly id: string;
  readonly user_id: string;
  /** What was drawn for the household, as it is stored. */
  readonly attributes: unknown;
}
