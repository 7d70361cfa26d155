import type { components } from '../../generated/openapi.ts';
import type { DeviceCounts } from '../domain/fleets/devices.ts';
import type { FleetStatus } from '../domain/fleets/fleet-states.ts';

/** A fleet as the API shows it. */
export type FleetRecord = components['schemas']['Fleet'];

/** What the record of a fleet says of it. */
export interface FleetFields {
  readonly id: string;
  readonly request_id: string;
  readonly name: string;
  readonly status: FleetStatus;
  readonly simulation_org_id: string;
  readonly seed: number;
  readonly model_version: number;
  readonly household_count: number;
  readonly created_count: number;
  readonly history_from: Date;
  readonly history_to: Date;
  readonly error: string | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly stopped_at: Date | null;
}

const NO_DEVICES: DeviceCounts = { electric_vehicle: 0, heat_pump: 0, inverter: 0, wallbox: 0 };

/** A fleet as the API shows it; `devices` are those of users who are not deleted, none where they are not given. */
export function toFleetRecord(
  fleet: FleetFields,
  definition: FleetRecord['definition'],
  devices: DeviceCounts = NO_DEVICES,
): FleetRecord {
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
    definition,
    history: { from: fleet.history_from.toISOString(), to: fleet.history_to.toISOString() },
    device_counts: devices,
    created_at: fleet.created_at.toISOString(),
    started_at: fleet.started_at?.toISOString() ?? null,
    stopped_at: fleet.stopped_at?.toISOString() ?? null,
    error: fleet.error,
  };
}
