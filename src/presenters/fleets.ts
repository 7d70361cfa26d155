import type { DeviceCounts } from '../domain/fleets/devices.ts';
import type { components } from '../../generated/openapi.ts';
import { notFoundProblem } from '../domain/api/problem.ts';
import type { Db, Tx } from '../queries/connection/database.ts';
import { countFleetDevicesByType, findFleet } from '../queries/fleets/fleets.ts';
import type { Fleet } from '../queries/fleets/fleets.ts';
import { storedDefinitionToRecord } from '../simulation/definition/stored-definition.ts';
import type { StoredDefinition } from '../simulation/definition/stored-definition.ts';
import type { Context } from '../operations/context.ts';

export type FleetRecord = components['schemas']['Fleet'];

const NO_DEVICES: DeviceCounts = { electric_vehicle: 0, heat_pump: 0, inverter: 0, wallbox: 0 };

/** What was kept with the fleet when it was created. */
export function storedDefinitionOf(fleet: Fleet): StoredDefinition {
  return fleet.definition as StoredDefinition;
}

type Mutable<Value> = Value extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : Value extends object
    ? { -readonly [Key in keyof Value]: Mutable<Value[Key]> }
    : Value;

/** The same value: the document's types do not say that they are only read. */
export function toMutable<Value>(value: Value): Mutable<Value> {
  return value as Mutable<Value>;
}

/** The fleet as the API shows it. */
export function toFleet(fleet: Fleet, devices: DeviceCounts = NO_DEVICES): FleetRecord {
  return {
    job_id: fleet.id,
    request_id: fleet.request_id,
    name: fleet.name,
    status: fleet.status,
    progress: { created: fleet.created_count, total: fleet.household_count },
    count: fleet.household_count,
    seed: fleet.seed,
    model_version: fleet.model_version,
    simulation_org_id: fleet.simulation_org_id,
    definition: toMutable(storedDefinitionToRecord(storedDefinitionOf(fleet))),
    history: { from: fleet.history_from.toISOString(), to: fleet.history_to.toISOString() },
    device_counts: devices,
    created_at: fleet.created_at.toISOString(),
    started_at: fleet.started_at?.toISOString() ?? null,
    stopped_at: fleet.stopped_at?.toISOString() ?? null,
    error: fleet.error,
  };
}

export async function toFleetWithDevices(db: Db | Tx, fleet: Fleet): Promise<FleetRecord> {
  const counts = await countFleetDevicesByType(db, [fleet.simulation_org_id]);
  return toFleet(fleet, counts.get(fleet.simulation_org_id));
}

/** The fleet that the path names; 404 when the organization has none of that id. */
export async function requireFleet(context: Context, jobId: string): Promise<Fleet> {
  const fleet = await findFleet(context.db, context.orgId, jobId);
  if (fleet === undefined) throw notFoundProblem('fleet');
  return fleet;
}

/** 404 unless the organization has the fleet. */
export async function checkFleetExists(context: Context, path: { readonly job_id: string }): Promise<void> {
  await requireFleet(context, path.job_id);
}
