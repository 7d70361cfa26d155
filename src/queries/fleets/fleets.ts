import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { CursorPosition } from '../../domain/api/cursor.ts';
import type { DeviceCounts } from '../../domain/fleets/devices.ts';
import type { FleetStatus } from '../../domain/fleets/fleet-states.ts';
import type { Db, Tx } from '../connection/database.ts';
import { prepare, prepareShapes } from '../connection/prepared.ts';

/** A fleet without the weights of its density. */
export interface Fleet {
  readonly org_id: string;
  readonly id: string;
  readonly request_id: string;
  readonly name: string;
  readonly status: FleetStatus;
  readonly simulation_org_id: string;
  readonly seed: number;
  readonly model_version: number;
  readonly household_count: number;
  readonly created_count: number;
  readonly settled_count: number;
  /** See src/simulation/definition/stored-definition.ts. */
  readonly definition: unknown;
  readonly history_from: Date;
  readonly history_to: Date;
  readonly error: string | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly stopped_at: Date | null;
}

/** A fleet by its id, with the organization that it has reserved, which follows from the id. */
export type FleetKey = Pick<Fleet, 'org_id' | 'id' | 'simulation_org_id'>;

/** A condition on `fleets`: the partner is not suspended, so that work on the fleet goes on. */
export const IS_NOT_SUSPENDED = sql<SqlBool>`not exists (
  select from organizations o where o.id = fleets.org_id and o.suspended_at is not null)`;

/** The columns of a Fleet: all but the weights of its density and the claims of workers. */
export const FLEET_COLUMNS = [
  'org_id',
  'id',
  'request_id',
  'name',
  'status',
  'simulation_org_id',
  'seed',
  'model_version',
  'household_count',
  'created_count',
  'settled_count',
  'definition',
  'history_from',
  'history_to',
  'error',
  'created_at',
  'started_at',
  'stopped_at',
] as const;

/** Writes a queued fleet with the weights of its density as they were sent; its simulation organization must be there. */
export async function insertFleet(tx: Tx, fleet: Fleet, sentWeights: Uint8Array | null): Promise<void> {
  await tx
    .insertInto('fleets')
    .values({
      ...fleet,
      definition: JSON.stringify(fleet.definition),
      density_weights: sentWeights === null ? null : Buffer.from(sentWeights),
    })
    .execute();
}

/** A fleet of an organization by its id; undefined when it has none of that id. */
export async function findFleet(db: Db | Tx, key: FleetKey): Promise<Fleet | undefined> {
  const [fleet] = await selectByKey(db, key);
  return fleet;
}

const selectByKey = prepare((db, key: FleetKey) =>
  db
    .selectFrom('fleets')
    .select(FLEET_COLUMNS)
    .where('simulation_org_id', '=', key.simulation_org_id)
    .where('org_id', '=', key.org_id)
    .where('id', '=', key.id),
);

/** The fleet that reserved a simulation organization. */
export async function findFleetBySimulationOrg(
  db: Db | Tx,
  simulationOrgId: string,
): Promise<Fleet | undefined> {
  const [fleet] = await selectBySimulationOrg(db, { simulationOrgId });
  return fleet;
}

const selectBySimulationOrg = prepare((db, { simulationOrgId }: { readonly simulationOrgId: string }) =>
  db.selectFrom('fleets').select(FLEET_COLUMNS).where('simulation_org_id', '=', simulationOrgId),
);

/** Newest first, at most `limit` of them, from before `before`. */
export function listFleetsPage(
  db: Db | Tx,
  orgId: string,
  { before, limit }: { readonly before: CursorPosition | undefined; readonly limit: number },
): Promise<Fleet[]> {
  const select = selectPage({ isFirst: before === undefined });
  return select(db, { orgId, limit, createdAt: before?.createdAt, beforeId: before?.id });
}

interface PageKeys {
  readonly orgId: string;
  readonly limit: number;
  readonly createdAt: Date | undefined;
  readonly beforeId: string | undefined;
}

const selectPage = prepareShapes((db, { isFirst }: { readonly isFirst: boolean }, keys: PageKeys) => {
  let query = db.selectFrom('fleets').select(FLEET_COLUMNS).where('org_id', '=', keys.orgId);
  if (!isFirst) {
    query = query.where(
      sql<SqlBool>`(created_at, id) < (${keys.createdAt}::timestamptz, ${keys.beforeId}::uuid)`,
    );
  }
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(keys.limit);
});

/** The fleet, held until the transaction ends: whatever changes its state takes this lock first. */
export function lockFleet(tx: Tx, key: FleetKey): Promise<Fleet | undefined> {
  return tx
    .selectFrom('fleets')
    .select(FLEET_COLUMNS)
    .where('simulation_org_id', '=', key.simulation_org_id)
    .where('org_id', '=', key.org_id)
    .where('id', '=', key.id)
    .forUpdate()
    .executeTakeFirst();
}

export interface FleetChange {
  readonly status: FleetStatus;
  readonly household_count?: number;
  readonly created_count?: number;
  readonly settled_count?: number;
  readonly definition?: unknown;
  readonly stopped_at?: Date;
  readonly error?: null;
  readonly has_checkpoints_to_remove?: true;
  readonly has_users_to_remove?: true;
}

/** Changes a locked fleet. Whoever worked on it holds an outdated token from now on and writes nothing more. */
export function updateFleet(tx: Tx, fleet: Fleet, change: FleetChange): Promise<Fleet> {
  const { definition, ...rest } = change;
  return tx
    .updateTable('fleets')
    .set({
      ...rest,
      ...(definition === undefined ? {} : { definition: JSON.stringify(definition) }),
      work_token: null,
      work_lease_until: null,
      checkpoint_token: null,
      checkpoint_lease_until: null,
    })
    .where('simulation_org_id', '=', fleet.simulation_org_id)
    .where('org_id', '=', fleet.org_id)
    .where('id', '=', fleet.id)
    .returning(FLEET_COLUMNS)
    .executeTakeFirstOrThrow();
}

/**
 * Simulated devices by type of users who are not deleted, in each of these simulation organizations, as they are kept; one that
 * never had any is left out.
 */
export async function countFleetDevicesByType(
  db: Db | Tx,
  simulationOrgIds: readonly string[],
): Promise<Map<string, DeviceCounts>> {
  const counts = new Map<string, DeviceCounts>();
  if (simulationOrgIds.length === 0) return counts;
  const { rows } = await sql<{ org_id: string } & DeviceCounts>`
    select org_id,
      coalesce(sum(devices) filter (where device_type = 'electric_vehicle'), 0) as electric_vehicle,
      coalesce(sum(devices) filter (where device_type = 'heat_pump'), 0) as heat_pump,
      coalesce(sum(devices) filter (where device_type = 'inverter'), 0) as inverter,
      coalesce(sum(devices) filter (where device_type = 'wallbox'), 0) as wallbox
    from device_counts
    where org_id = any(${simulationOrgIds}::uuid[])
    group by org_id
  `.execute(db);
  for (const { org_id, ...types } of rows) counts.set(org_id, types);
  return counts;
}

/** The channel on which processes tell each other that fleets have work. */
export const FLEETS_CHANNEL = 'fleets';

/** Wakes the runners of all processes when the transaction commits. */
export async function notifyFleetRunners(tx: Tx): Promise<void> {
  await sql`select pg_notify(${FLEETS_CHANNEL}, '')`.execute(tx);
}

/**
 * Devices of a fleet that has ended get no more conditions by plan, and those that hold now continue to hold; its cars are looked
 * at no more.
 */
export async function cancelPlannedChanges(tx: Tx, fleet: Fleet): Promise<void> {
  await tx
    .updateTable('device_conditions')
    .set({ begins_at: null, ends_at: null })
    .where('org_id', '=', fleet.simulation_org_id)
    .where('next_change_at', 'is not', null)
    .execute();
  await tx.deleteFrom('charge_checks').where('org_id', '=', fleet.simulation_org_id).execute();
}
