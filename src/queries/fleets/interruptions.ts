import { sql } from 'kysely';
import type { DeviceType } from '../../domain/fleets/devices.ts';
import type { Interruption } from '../../domain/notifications/interruptions.ts';
import type { Db, Tx } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

/** A time in which a condition of a simulated device held. */
export interface DeviceInterruption extends Interruption {
  readonly householdIndex: number;
  readonly deviceType: DeviceType;
}

interface Households {
  /** The simulation organization. */
  readonly orgId: string;
  readonly indexes: readonly number[];
}

/** All interruptions of all devices of some households, in the order in which they began. */
export async function listInterruptions(
  db: Db | Tx,
  orgId: string,
  indexes: readonly number[],
): Promise<DeviceInterruption[]> {
  return indexes.length === 0 ? [] : selectOfHouseholds(db, { orgId, indexes });
}

const selectOfHouseholds = prepare(
  (_db, { orgId, indexes }: Households) => sql<DeviceInterruption>`
    select d.household_index as "householdIndex", d.device_type as "deviceType", i.code,
      (extract(epoch from i.read_until) * 1000)::bigint as "readUntilMs", (extract(epoch from i.ended_at) * 1000)::bigint as "endedAtMs",
      i.unsteered_from as "unsteeredFrom", i.unsteered_to as "unsteeredTo"
    from devices d join device_interruptions i on i.org_id = d.org_id and i.device_id = d.id
    where d.org_id = ${orgId} and d.household_index = any(${indexes}::integer[])
    order by i.started_at, i.code
  `,
);
