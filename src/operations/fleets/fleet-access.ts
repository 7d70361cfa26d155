/** How the operations of this folder reach a fleet and show it. */
import type { DeviceCounts } from '../../domain/fleets/devices.ts';
import { isFleetActive } from '../../domain/fleets/fleet-states.ts';
import type { FleetStatus } from '../../domain/fleets/fleet-states.ts';
import { notFoundProblem, Problem } from '../../domain/api/problem.ts';
import { toFleetRecord } from '../../presenters/fleets.ts';
import type { FleetRecord } from '../../presenters/fleets.ts';
import type { Db, Tx } from '../../queries/connection/database.ts';
import { findFleetRequest } from '../../queries/fleets/fleet-requests.ts';
import { countFleetDevicesByType, findFleet, lockFleet } from '../../queries/fleets/fleets.ts';
import type { Fleet, FleetKey } from '../../queries/fleets/fleets.ts';
import { toDefinitionRecord } from '../../simulation/definition/definition-record.ts';
import { parseStoredDefinition } from '../../simulation/definition/stored-definition.ts';
import { deriveSimulationOrgId } from '../../simulation/household/identity.ts';
import type { Context } from '../context.ts';

/** The fleet that an organization's path names. */
export function fleetKeyOf(orgId: string, jobId: string): FleetKey {
  const id = jobId.toLowerCase();
  return { org_id: orgId, id, simulation_org_id: deriveSimulationOrgId(id) };
}

/** The fleet that the path names; 404 when the organization has none of that id. */
export async function requireFleet(db: Db, orgId: string, jobId: string): Promise<Fleet> {
  const fleet = await findFleet(db, fleetKeyOf(orgId, jobId));
  if (fleet === undefined) throw notFoundProblem('fleet');
  return fleet;
}

/** The same, locked until the transaction ends. */
export async function requireLockedFleet(tx: Tx, orgId: string, jobId: string): Promise<Fleet> {
  const fleet = await lockFleet(tx, fleetKeyOf(orgId, jobId));
  if (fleet === undefined) throw notFoundProblem('fleet');
  return fleet;
}

/** What a call for a fleet that is not there is answered with: 410 to a repeat of an earlier one, otherwise 404. */
export async function goneOrNotFound(
  tx: Tx,
  orgId: string,
  jobId: string,
  request: { readonly operation: 'expand' | 'event'; readonly id: string },
): Promise<Problem> {
  const first = await findFleetRequest(tx, orgId, request.operation, request.id);
  if (first?.fleet_id !== jobId) return notFoundProblem('fleet');
  return new Problem('request_purged', 'The fleet of this request_id was purged; create another one.');
}

/** 409 unless the fleet's devices change, so that something can happen to them. */
export function requireActiveFleet(status: FleetStatus): void {
  if (isFleetActive(status)) return;
  const detail = `The fleet is ${status}; events can be raised while it is running or expanding.`;
  throw new Problem('fleet_state_conflict', detail);
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
