import { sql } from 'kysely';
import type { FleetStatus } from '../../domain/fleets/fleet-states.ts';
import type { DeviceType } from '../../domain/notifications/envelope.ts';
import type { Db, Tx } from '../connection/database.ts';
import { prepare, prepareShapes } from '../connection/prepared.ts';

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
export async function findConditionDevice(
  db: Db | Tx,
  orgId: string,
  deviceId: string,
): Promise<ConditionDevice | undefined> {
  return (await selectDevice({ isLocked: db.isTransaction })(db, { orgId, deviceId }))[0];
}

/** A device whose owner is not deleted. */
function selectFromDevice(db: Db, orgId: string, deviceId: string) {
  return db
    .selectFrom('devices')
    .innerJoin('users', (join) =>
      join.onRef('users.org_id', '=', 'devices.org_id').onRef('users.id', '=', 'devices.user_id'),
    )
    .where('devices.org_id', '=', orgId)
    .where('devices.id', '=', deviceId)
    .where('users.deleted_at', 'is', null);
}

const selectDevice = prepareShapes(
  (db, { isLocked }: { isLocked: boolean }, { orgId, deviceId }: { orgId: string; deviceId: string }) => {
    const query = selectFromDevice(db, orgId, deviceId).select([
      'devices.device_type as deviceType',
      'devices.user_id as ownerId',
      'devices.name as name',
      'devices.manufacturer as manufacturer',
    ]);
    return isLocked ? query.forShare('users') : query;
  },
);

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
export async function findEventFleet(db: Db | Tx, key: EventFleetKey): Promise<EventFleet | undefined> {
  return (await selectFleet({ lock: db.isTransaction ? 'wait' : 'none' })(db, key))[0];
}

/** The same for work that others wait behind: 'locked' where somebody changes the fleet, who is not waited for. */
export async function findFreeEventFleet(
  tx: Tx,
  key: EventFleetKey,
): Promise<EventFleet | 'locked' | undefined> {
  const [free] = await selectFleet({ lock: 'skip' })(tx, key);
  if (free !== undefined) return free;
  return (await selectFleet({ lock: 'none' })(tx, key)).length > 0 ? 'locked' : undefined;
}

const selectFleet = prepareShapes((db, { lock }: { lock: 'wait' | 'skip' | 'none' }, key: EventFleetKey) => {
  const query = db
    .selectFrom('fleets')
    .select(['status', 'simulation_org_id as simulationOrgId'])
    .where('simulation_org_id', '=', key.simulation_org_id)
    .where('org_id', '=', key.org_id)
    .where('id', '=', key.id);
  if (lock === 'none') return query;
  return lock === 'wait' ? query.forShare() : query.forShare().skipLocked();
});

/** Whether the device belongs to the fleet and its owner is not deleted. */
export async function fleetHasDevice(
  db: Db | Tx,
  fleet: EventFleet,
  fleetId: string,
  deviceId: string,
): Promise<boolean> {
  const found = await selectDeviceOfFleet(db, { orgId: fleet.simulationOrgId, fleetId, deviceId });
  return found.length > 0;
}

const selectDeviceOfFleet = prepare(
  (db, { orgId, fleetId, deviceId }: { orgId: string; fleetId: string; deviceId: string }) =>
    selectFromDevice(db, orgId, deviceId)
      .select(sql<number>`1`.as('found'))
      .where('devices.fleet_id', '=', fleetId),
);
