import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { FLEET_COLUMNS, IS_NOT_SUSPENDED, type Fleet } from './fleets.ts';
import { unnestRows } from '../connection/rows.ts';

/** Counters and stored energies of a household at the start of a UTC day (days since 1970), in mWh. */
export interface StoredCheckpoint {
  readonly day: number;
  readonly pv: number;
  readonly ev: number;
  readonly hp: number;
  readonly grid_import: number;
  readonly grid_export: number;
  readonly stored: number;
  readonly vehicle_stored: number;
}

/** A checkpoint with what it was worked out from. */
export interface HouseholdCheckpoint extends StoredCheckpoint {
  readonly household_index: number;
  readonly attributes: unknown;
}

/** An active fleet whose checkpoints only the caller advances until the lease ends. */
export interface CheckpointClaim extends Fleet {
  readonly checkpoint_token: string;
}

export interface CheckpointsToClaim {
  /** None of the fleet's checkpoints may be later than this. */
  readonly day: number;
  readonly now: Date;
  readonly leaseUntil: Date;
  /** The partner that had the turn before. */
  readonly served?: string | undefined;
}

/**
 * An active fleet that no worker has claimed, with checkpoints that are old enough: of the partner whose id follows that of
 * `served` (behind the last one the first one again) the one with the oldest.
 */
export async function claimCheckpoints(
  db: Db,
  { day, now, leaseUntil, served = NO_PARTNER }: CheckpointsToClaim,
): Promise<CheckpointClaim | undefined> {
  const isFree = sql<boolean>`status in ('running', 'expanding') and checkpoint_day <= ${day}
    and (checkpoint_lease_until is null or checkpoint_lease_until <= ${now}) and ${IS_NOT_SUSPENDED}`;
  const { rows: candidates } = await sql<Pick<Fleet, 'simulation_org_id'>>`
    select simulation_org_id from fleets where ${isFree}
    order by org_id <= ${served}, org_id, checkpoint_day limit ${sql.lit(MOST_CANDIDATES)}
  `.execute(db);
  for (const { simulation_org_id: orgId } of candidates) {
    const { rows } = await sql<CheckpointClaim>`
      update fleets set checkpoint_token = ${randomUUID()}, checkpoint_lease_until = ${leaseUntil}
      where simulation_org_id = ${orgId} and id = (
        select id from fleets where simulation_org_id = ${orgId} and ${isFree} for update skip locked)
      returning ${sql.join(FLEET_COLUMNS.map((column) => sql.ref(column)))}, checkpoint_token
    `.execute(db);
    if (rows[0] !== undefined) return rows[0];
  }
  return undefined;
}

const NO_PARTNER = '00000000-0000-0000-0000-000000000000';

/** The next ones in turn: other workers may take the first of them at the same time. */
const MOST_CANDIDATES = 32;

export interface DueHousehold {
  readonly org_id: string;
  readonly household_index: number;
  readonly user_id: string;
  readonly control_version: number;
  readonly household_created_at: Date;
  readonly attributes: unknown;
  readonly checkpoint: StoredCheckpoint | null;
}

/** Households from an index on without a checkpoint at `day` or later, by index. */
export async function listDueHouseholds(
  db: Db,
  orgId: string,
  day: number,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<DueHousehold[]> {
  const { rows } = await sql<DueHousehold>`
    select h.org_id, h.household_index, h.user_id, h.control_version,
      h.created_at as household_created_at, h.attributes, to_jsonb(c) as checkpoint
    from households h
    left join household_checkpoints c on c.org_id = h.org_id and c.household_index = h.household_index
    where h.org_id = ${orgId} and h.household_index >= ${from} and (c.day is null or c.day < ${day})
    order by h.household_index
    limit ${limit}
  `.execute(db);
  return rows;
}

/** False when the claim is lost, as it is when the fleet has changed its state, or the partner was suspended. True holds the fleet. */
export async function lockCheckpointClaim(tx: Tx, claim: CheckpointClaim): Promise<boolean> {
  const row = await tx
    .selectFrom('fleets')
    .select('id')
    .where('simulation_org_id', '=', claim.simulation_org_id)
    .where('org_id', '=', claim.org_id)
    .where('id', '=', claim.id)
    .where('checkpoint_token', '=', claim.checkpoint_token)
    .where(IS_NOT_SUSPENDED)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** Records the day that all of the fleet's checkpoints have reached, or extends the lease of the claim. */
export async function updateCheckpointClaim(
  tx: Tx,
  claim: CheckpointClaim,
  change: { readonly leaseUntil: Date } | { readonly doneDay: number },
): Promise<void> {
  await tx
    .updateTable('fleets')
    .set(
      'leaseUntil' in change
        ? { checkpoint_lease_until: change.leaseUntil }
        : { checkpoint_day: change.doneDay, checkpoint_lease_until: null, checkpoint_token: null },
    )
    .where('simulation_org_id', '=', claim.simulation_org_id)
    .where('org_id', '=', claim.org_id)
    .where('id', '=', claim.id)
    .execute();
}

/** Gives a claim back, so that another worker need not wait for its end; none takes the work up before `until`. */
export async function releaseCheckpointClaim(
  db: Db,
  claim: CheckpointClaim,
  until: Date | null = null,
): Promise<void> {
  await db
    .updateTable('fleets')
    .set({ checkpoint_lease_until: until, checkpoint_token: null })
    .where('simulation_org_id', '=', claim.simulation_org_id)
    .where('org_id', '=', claim.org_id)
    .where('id', '=', claim.id)
    .where('checkpoint_token', '=', claim.checkpoint_token)
    .execute();
}

/**
 * Whether the fleet of a simulation organization has households whose checkpoints may be stored. If so no operation
 * changes its state, and so none of its households, until the transaction ends.
 */
export async function lockFleetForCheckpoints(tx: Tx, simulationOrgId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('fleets')
    .select('id')
    .where('simulation_org_id', '=', simulationOrgId)
    .where('status', 'in', ['running', 'expanding', 'stopped'])
    .forShare()
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Stores the checkpoints that are later than those stored. The fleet must be locked by the transaction. A checkpoint
 * that was computed for a household which an expansion has replaced meanwhile is left out.
 */
export async function upsertCheckpoints(
  tx: Tx,
  simulationOrgId: string,
  checkpoints: readonly HouseholdCheckpoint[],
): Promise<void> {
  if (checkpoints.length === 0) return;
  await sql`
    insert into household_checkpoints (org_id, household_index, day, pv, ev, hp, grid_import, grid_export, stored,
      vehicle_stored)
    select h.org_id, h.household_index, rows.day, rows.pv, rows.ev, rows.hp, rows.grid_import, rows.grid_export,
      rows.stored, rows.vehicle_stored
    from ${unnestRows(checkpoints, {
      household_index: 'integer',
      attributes: 'jsonb',
      day: 'integer',
      pv: 'bigint',
      ev: 'bigint',
      hp: 'bigint',
      grid_import: 'bigint',
      grid_export: 'bigint',
      stored: 'bigint',
      vehicle_stored: 'bigint',
    })}
    join households h
      on h.org_id = ${simulationOrgId} and h.household_index = rows.household_index and h.attributes = rows.attributes
    order by h.household_index
    on conflict on constraint household_checkpoints_pkey do update
    set day = excluded.day, pv = excluded.pv, ev = excluded.ev, hp = excluded.hp, grid_import = excluded.grid_import,
      grid_export = excluded.grid_export, stored = excluded.stored, vehicle_stored = excluded.vehicle_stored
    where household_checkpoints.day < excluded.day
  `.execute(tx);
}
