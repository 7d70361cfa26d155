import type { DeviceType } from '../../domain/fleets/devices.ts';
import { sql } from 'kysely';
import type { ConditionCode } from '../../domain/notifications/conditions.ts';
import type { Db, Tx } from '../connection/database.ts';

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
 * The simulation organizations whose planned changes wait, as an array: their partner is suspended, or their fleet is not built
 * yet. A fleet that has ended has none.
 */
const WAITING_ORGANIZATIONS = sql`array(
  select o.id from organizations p join organizations o on o.parent_org_id = p.id where p.suspended_at is not null
  union all
  select simulation_org_id from fleets where status = 'provisioning')`;

/** Of each partner that is not suspended the active fleet whose planned change has been due for longest. */
export async function listFleetsWithDueChanges(db: Db, now: Date): Promise<FleetWithDueChanges[]> {
  const { rows } = await sql<FleetWithDueChanges>`
    select distinct on (f.org_id) f.simulation_org_id as "orgId", f.org_id as "fleetOrgId", f.id as "fleetId", f.seed
    from fleets f
    join (
      select org_id, min(next_change_at) as due_at from device_conditions
      where next_change_at <= ${now} and org_id <> all (${WAITING_ORGANIZATIONS})
      group by org_id
    ) due on due.org_id = f.simulation_org_id
    where f.status in ('running', 'expanding')
    order by f.org_id, due.due_at
  `.execute(db);
  return rows;
}

/** When the next planned condition of an active fleet begins or ends, whose partner is not suspended; undefined when none is planned. */
export async function findNextConditionChangeAt(db: Db): Promise<Date | undefined> {
  const row = await db
    .selectFrom('device_conditions')
    .select('next_change_at')
    .where('next_change_at', 'is not', null)
    .where(sql<boolean>`org_id <> all (${WAITING_ORGANIZATIONS})`)
    .orderBy('next_change_at')
    .limit(1)
    .executeTakeFirst();
  return row?.next_change_at ?? undefined;
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
