import type { DeviceType } from '../../domain/fleets/devices.ts';
import { sql } from 'kysely';
import type { ConditionCode } from '../../domain/notifications/conditions.ts';
import type { Db, Tx } from '../connection/database.ts';
import { IS_NOT_SUSPENDED } from './fleets.ts';

/** The fleet of a simulation organization in which a planned condition is due. */
export interface DueFleet {
  readonly orgId: string;
  readonly fleetOrgId: string;
  readonly fleetId: string;
}

/** The same with the seed from which its conditions follow. */
export interface FleetWithDueChanges extends DueFleet {
  readonly seed: number;
}

/**
 * The first planned change of each active fleet whose partner is not suspended: a row of device_conditions_due_of_org_idx for each,
 * however much is due of it. Of a suspended partner more is due from day to day, and nobody takes it away.
 */
const FIRST_CHANGES = sql`
  fleets cross join lateral (
    select next_change_at from device_conditions
    where org_id = fleets.simulation_org_id and next_change_at is not null
    order by next_change_at limit 1) planned
  where fleets.status in ('running', 'expanding') and ${IS_NOT_SUSPENDED}`;

/** Of each partner that is not suspended the active fleet whose planned change has been due for longest. */
export async function listFleetsWithDueChanges(db: Db, now: Date): Promise<FleetWithDueChanges[]> {
  const { rows } = await sql<FleetWithDueChanges>`
    select distinct on (fleets.org_id) fleets.simulation_org_id as "orgId", fleets.org_id as "fleetOrgId",
      fleets.id as "fleetId", fleets.seed
    from ${FIRST_CHANGES} and planned.next_change_at <= ${now}
    order by fleets.org_id, planned.next_change_at
  `.execute(db);
  return rows;
}

/** When the next planned condition of an active fleet begins or ends, whose partner is not suspended; undefined when none is planned. */
export async function findNextConditionChangeAt(db: Db): Promise<Date | undefined> {
  const { rows } = await sql<{ at: Date | null }>`
    select min(planned.next_change_at) as at from ${FIRST_CHANGES}
  `.execute(db);
  return rows[0]?.at ?? undefined;
}

/** A condition whose planned change is due, held by the transaction. */
export interface DueCondition {
  readonly deviceId: string;
  readonly type: DeviceType;
  readonly householdIndex: number;
  readonly manufacturer: string;
  /** Of the household as it was made, degrees; 0 where it has no location of its own. */
  readonly latitude: number;
  readonly longitude: number;
  readonly code: ConditionCode;
  readonly changeAt: Date;
  /** When it ends by itself; null while it does not hold, and where it does not. */
  readonly endsAt: Date | null;
}

/** Due changes of one organization, oldest first; those that another worker has locked are skipped. */
export async function claimDueConditionChanges(
  tx: Tx,
  orgId: string,
  now: Date,
  limit: number,
): Promise<DueCondition[]> {
  const { rows } = await sql<DueCondition>`
    select c.device_id as "deviceId", d.device_type as "type", d.household_index as "householdIndex", d.manufacturer,
      coalesce(h.latitude, 0) as latitude, coalesce(h.longitude, 0) as longitude, c.code, c.next_change_at as "changeAt", c.ends_at as "endsAt"
    from device_conditions c
    join devices d on d.org_id = c.org_id and d.id = c.device_id
    join households h on h.org_id = d.org_id and h.household_index = d.household_index
    where c.org_id = ${orgId} and c.next_change_at <= ${now}
    order by c.next_change_at
    limit ${limit}
    for update of c skip locked
  `.execute(tx);
  return rows;
}

/** Plans the next begin of a condition; null when none follows. */
export async function updateNextBegin(
  tx: Tx,
  orgId: string,
  condition: DueCondition,
  beginsAt: Date | null,
): Promise<void> {
  await tx
    .updateTable('device_conditions')
    .set({ begins_at: beginsAt })
    .where('org_id', '=', orgId)
    .where('device_id', '=', condition.deviceId)
    .where('code', '=', condition.code)
    .execute();
}
