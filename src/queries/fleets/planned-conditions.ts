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

/** The simulation organizations whose partner is suspended, as an array: their planned changes wait. */
const SUSPENDED_ORGANIZATIONS = sql`array(
  select o.id from organizations p join organizations o on o.parent_org_id = p.id where p.suspended_at is not null)`;

/** The fleets of the `limit` oldest planned changes that are due, of partners that are not suspended. */
export async function listFleetsWithDueChanges(db: Db, now: Date, limit: number): Promise<DueFleet[]> {
  const { rows } = await sql<DueFleet>`
    select f.simulation_org_id as "orgId", f.org_id as "fleetOrgId", f.id as "fleetId"
    from fleets f
    join (
      select distinct org_id from (
        select org_id from device_conditions
        where next_change_at <= ${now} and org_id <> all (${SUSPENDED_ORGANIZATIONS})
        order by next_change_at
        limit ${limit}
      ) due
    ) due on due.org_id = f.simulation_org_id
  `.execute(db);
  return rows;
}

/** When the next planned condition begins or ends of a partner that is not suspended; undefined when none is planned. */
export async function findNextConditionChangeAt(db: Db): Promise<Date | undefined> {
  const row = await db
    .selectFrom('device_conditions')
    .select('next_change_at')
    .where('next_change_at', 'is not', null)
    .where(sql<boolean>`org_id <> all (${SUSPENDED_ORGANIZATIONS})`)
    .orderBy('next_change_at')
    .limit(1)
    .executeTakeFirst();
  return row?.next_change_at ?? undefined;
}

/** A condition whose planned change is due, held by the transaction. */
export interface DueCondition {
  readonly deviceId: string;
  readonly deviceType: DeviceType;
  readonly householdIndex: number;
  readonly code: ConditionCode;
  readonly occurrence: number;
  readonly changeAt: Date;
}

/** Due changes of one organization, oldest first; those that another worker has locked are skipped. */
export async function claimDueConditionChanges(
  tx: Tx,
  orgId: string,
  now: Date,
  limit: number,
): Promise<DueCondition[]> {
  const { rows } = await sql<DueCondition>`
    select c.device_id as "deviceId", d.device_type as "deviceType", d.household_index as "householdIndex",
      c.code, c.occurrence, c.next_change_at as "changeAt"
    from device_conditions c
    join devices d on d.org_id = c.org_id and d.id = c.device_id
    where c.org_id = ${orgId} and c.next_change_at <= ${now} and d.household_index is not null
    order by c.next_change_at
    limit ${limit}
    for update of c skip locked
  `.execute(tx);
  return rows;
}

/** Plans the next change of a condition; null when none follows. */
export async function updateNextConditionChange(
  tx: Tx,
  orgId: string,
  condition: DueCondition,
  next: { readonly occurrence: number; readonly changeAt: Date | null },
): Promise<void> {
  await tx
    .updateTable('device_conditions')
    .set({ occurrence: next.occurrence, next_change_at: next.changeAt })
    .where('org_id', '=', orgId)
    .where('device_id', '=', condition.deviceId)
    .where('code', '=', condition.code)
    .execute();
}
