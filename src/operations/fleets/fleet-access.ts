/** How the operations of this folder reach a fleet and show it. */
import type { DeviceCounts } from '../../domain/fleets/devices.ts';
import { notFoundProblem } from '../../domain/api/problem.ts';
import { toFleetRecord } from '../../presenters/fleets.ts';
import type { FleetRecord } from '../../presenters/fleets.ts';
import type { Db, Tx } from '../../queries/connection/database.ts';
import { countFleetDevicesByType, findFleet, lockFleet } from '../../queries/fleets/fleets.ts';
import type { Fleet } from '../../queries/fleets/fleets.ts';
import { toDefinitionRecord } from '../../simulation/definition/definition-record.ts';
import { parseStoredDefinition } from '../../simulation/definition/stored-definition.ts';
import type { Context } from '../context.ts';

/** The fleet that the path names; 404 when the organization has none of that id. */
export async function requireFleet(db: Db, orgId: string, jobId: string): Promise<Fleet> {
  const fleet = await findFleet(db, orgId, jobId);
  if (fleet === undefined) throw notFoundProblem('fleet');
  return fleet;
}

/** The same, locked until the transaction ends. */
export async function requireLockedFleet(tx: Tx, orgId: string, jobId: string): Promise<Fleet> {
  const fleet = await lockFleet(tx, orgId, jobId);
  if (fleet === undefined) throw notFoundProblem('fleet');
  return fleet;
}

/** 404 unless the organization has the fleet. */
export async function checkFleetExists(
  { db, orgId }: Context,
  path: { readonly job_id: string },
): Promise<void> {
  await requireFleet(db, orgId, path.job_id);
}

/** Fleets as the API shows them, with the numbers of their devices, which one query counts. */
export async function loadFleetRecords(db: Db | Tx, fleets: readonly Fleet[]): Promise<FleetRecord[]> {
  const counts = await countFleetDevicesByType(
    db,
    fleets.map((fleet) => fleet.simulation_org_id),
  );
  return fleets.map((fleet) => presentFleet(fleet, devicesOf(fleet, counts)));
}

/** The fleet as the API shows it, with the numbers of its devices. */
export async function presentFleetWithDevices(db: Db | Tx, fleet: Fleet): Promise<FleetRecord> {
  const counts = await countFleetDevicesByType(db, [fleet.simulation_org_id]);
  return presentFleet(fleet, devicesOf(fleet, counts));
}

/** Of a cleaned fleet none, also while they are being removed. */
function devicesOf(
  { status, simulation_org_id: orgId }: Fleet,
  counts: ReadonlyMap<string, DeviceCounts>,
): DeviceCounts | undefined {
  return status === 'cleaned' ? undefined : counts.get(orgId);
}

/** The fleet as the API shows it; without `devices` as one that has none yet. */
export function presentFleet(fleet: Fleet, devices?: DeviceCounts): FleetRecord {
  const { definition } = parseStoredDefinition(fleet.definition);
  return toFleetRecord(fleet, toDefinitionRecord(definition), devices);
}
