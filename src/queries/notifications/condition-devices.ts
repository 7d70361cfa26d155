import { sql } from 'kysely';
import type { FleetStatus } from '../../domain/fleets/fleet-states.ts';
import type { DeviceType } from '../../domain/notifications/envelope.ts';
import type { Db, Tx } from '../connection/database.ts';

/** The device's data that a notice of its condition uses. */
export interface ConditionDevice {
  readonly deviceType: DeviceType;
  readonly ownerId: string;
  readonly name: string;
  readonly manufacturer: string;
}

/**
 * A device by its organization and id; undefined when there is none, or when its owner is deleted. In a transaction the owner
 * is locked in share mode: a deletion, which ends the owner's pending items, comes before or after.
 */
export function findConditionDevice(
  db: Db | Tx,
  orgId: string,
  deviceId: string,
): Promise<ConditionDevice | undefined> {
  let query = db
    .selectFrom('devices')
    .innerJoin('users', (join) =>
      join.onRef('users.org_id', '=', 'devices.org_id').onRef('users.id', '=', 'devices.user_id'),
    )
    .select([
      'devices.device_type as deviceType',
      'devices.user_id as ownerId',
      'devices.name as name',
      'devices.manufacturer as manufacturer',
    ])
    .where('devices.org_id', '=', orgId)
    .where('devices.id', '=', deviceId)
    .where('users.deleted_at', 'is', null);
  if (db.isTransaction) query = query.forShare('users');
  return query.executeTakeFirst();
}

/** A fleet whose devices' conditions are about to change. */
export interface EventFleet {
  readonly status: FleetStatus;
  readonly simulationOrgId: string;
}

/** A fleet by its id, with the organization that it has reserved. */
interface EventFleetKey {
  readonly org_id: string;
  readonly id: string;
  readonly simulation_org_id: string;
}

/**
 * A fleet by its partner organization and id; undefined when there is none. In a transaction its row is locked in share
 * mode: its status cannot change before the commit, and other events of the fleet need not wait.
 */
export function findEventFleet(
  db: Db | Tx,
  { org_id: orgId, id, simulation_org_id: simulationOrgId }: EventFleetKey,
): Promise<EventFleet | undefined> {
  let query = db
    .selectFrom('fleets')
    .select(['status', 'simulation_org_id as simulationOrgId'])
    .where('simulation_org_id', '=', simulationOrgId)
    .where('org_id', '=', orgId)
    .where('id', '=', id);
  if (db.isTransaction) query = query.forShare();
  return query.executeTakeFirst();
}

/** Whether the device belongs to the fleet and its owner is not deleted. */
export async function fleetHasDevice(
  db: Db | Tx,
  fleet: EventFleet,
  fleetId: string,
  deviceId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('devices')
    .innerJoin('users', (join) =>
      join.onRef('users.org_id', '=', 'devices.org_id').onRef('users.id', '=', 'devices.user_id'),
    )
    .select(sql<number>`1`.as('found'))
    .where('devices.org_id', '=', fleet.simulationOrgId)
    .where('devices.id', '=', deviceId)
    .where('devices.fleet_id', '=', fleetId)
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}
