import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { IS_NOT_SUSPENDED } from './fleets.ts';
import type { DueFleet } from './planned-conditions.ts';

/** A car whose stay is to be looked at, with what its household is computed from. */
export interface DueChargeCheck {
  /** The simulation organization. */
  readonly org_id: string;
  readonly device_id: string;
  readonly due_at: Date;
  readonly told_departure: Date | null;
  readonly user_id: string;
  readonly household_index: number;
  readonly control_version: number;
  readonly household_created_at: Date;
  readonly attributes: unknown;
}

interface ChargeCheckKey {
  readonly orgId: string;
  readonly deviceId: string;
}

/** Lets a car be looked at from an instant on; with `onlyIfThere` only one that is looked at anyway. */
export async function scheduleChargeCheck(
  tx: Tx,
  { orgId, deviceId }: ChargeCheckKey,
  at: Date,
  { onlyIfThere }: { readonly onlyIfThere: boolean },
): Promise<void> {
  if (onlyIfThere) {
    await sql`
      update charge_checks set due_at = least(due_at, ${at}) where org_id = ${orgId} and device_id = ${deviceId}
    `.execute(tx);
    return;
  }
  await sql`
    insert into charge_checks (org_id, device_id, due_at)
    select org_id, id, ${at} from devices
    where org_id = ${orgId} and id = ${deviceId} and household_index is not null
    on conflict on constraint charge_checks_pkey do update set due_at = least(charge_checks.due_at, excluded.due_at)
  `.execute(tx);
}

/** The fleet of cars that are to be looked at. */
export interface FleetWithDueChecks extends DueFleet {
  /** When its history begins. */
  readonly historyFrom: Date;
}

/**
 * Of each partner that is not suspended the active fleet in which a car has been due for longest. One row of charge_checks_org_due_idx is
 * read of a fleet, however many are due.
 */
export async function listFleetsWithDueChecks(db: Db, now: Date): Promise<FleetWithDueChecks[]> {
  const { rows } = await sql<FleetWithDueChecks>`
    select distinct on (fleets.org_id) fleets.simulation_org_id as "orgId", fleets.org_id as "fleetOrgId",
      fleets.id as "fleetId", fleets.history_from as "historyFrom"
    from fleets cross join lateral (
      select due_at from charge_checks where org_id = fleets.simulation_org_id order by due_at limit 1) planned
    where fleets.status in ('running', 'expanding') and ${IS_NOT_SUSPENDED} and planned.due_at <= ${now}
    order by fleets.org_id, planned.due_at
  `.execute(db);
  return rows;
}

/** Checks of a simulation organization that are due, oldest first. */
export async function listDueChargeChecks(
  db: Db,
  orgId: string,
  now: Date,
  limit: number,
): Promise<DueChargeCheck[]> {
  const { rows } = await sql<DueChargeCheck>`
    select c.org_id, c.device_id, c.due_at, c.told_departure, h.user_id, h.household_index, h.control_version,
      h.created_at as household_created_at, h.attributes
    from charge_checks c
    join devices d on d.org_id = c.org_id and d.id = c.device_id
    join households h on h.org_id = d.org_id and h.household_index = d.household_index
    where c.org_id = ${orgId} and c.due_at <= ${now}
    order by c.due_at
    limit ${limit}
  `.execute(db);
  return rows;
}

/** Holds a check until the transaction ends; false when another worker holds it, or it was changed since it was read. */
export async function claimChargeCheck(
  tx: Tx,
  { org_id, device_id, due_at, control_version, household_index }: DueChargeCheck,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from charge_checks c
    join households h on h.org_id = c.org_id and h.household_index = ${household_index}
    where c.org_id = ${org_id} and c.device_id = ${device_id} and c.due_at = ${due_at}
      and h.control_version = ${control_version}
    for update of c skip locked
  `.execute(tx);
  return rows.length > 0;
}

/** Plans the next look at a car; without one it is looked at no more. */
export async function updateChargeCheck(
  tx: Tx,
  { org_id, device_id }: DueChargeCheck,
  next: { readonly dueAt: Date; readonly toldDeparture: Date | null } | null,
): Promise<void> {
  if (next === null) {
    await sql`delete from charge_checks where org_id = ${org_id} and device_id = ${device_id}`.execute(tx);
    return;
  }
  await sql`
    update charge_checks set due_at = ${next.dueAt}, told_departure = ${next.toldDeparture}
    where org_id = ${org_id} and device_id = ${device_id}
  `.execute(tx);
}
