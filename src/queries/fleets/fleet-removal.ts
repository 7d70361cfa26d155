import { sql } from 'kysely';
import type { RawBuilder, SqlBool } from 'kysely';
import type { Database } from '../../../generated/database.ts';
import { deleteNamesOfHouseholds } from '../accounts/names.ts';
import type { Db, Tx } from '../connection/database.ts';
import { deleteBatchOf } from '../connection/delete-batch.ts';
import { addToPendingCounts, CANCELLING_SHARD } from '../deliveries/pending-counts.ts';
import type { Fleet, FleetKey } from './fleets.ts';

/** Rows that one transaction of a clean-up or a purge removes: its locks are held for some 10 ms, and must not for 50 on a slow server. */
export const REMOVAL_BATCH_SIZE = 100;

/**
 * Removes at most `limit` rows of a cleaned fleet: the applications of its users, then notifications, what was asked of
 * devices, devices, users. Households (with
 * their locations), other users, webhooks and messages stay, and the checkpoints, which nobody reads any more, are left to
 * `deleteLeftCheckpoints`. False when nothing was left, or somebody has locked the fleet that is skipped then.
 */
export function deleteLeftUsers(
  db: Db,
  limit: number,
  named: FleetKey,
  whenLocked: 'skip' | 'wait' = 'wait',
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const fleet = await lockIf(tx, named, HAS_USERS_TO_REMOVE, whenLocked);
    if (fleet === undefined) return false;
    await deleteNamesOfHouseholds(tx, fleet.simulation_org_id);
    for (const { table, rows } of rowsOfUsers(fleet)) {
      const { numAffectedRows = 0n } = await sql`
        delete from ${sql.table(table)}
        where org_id = ${fleet.simulation_org_id} and ctid = any(array(${rows} limit ${sql.lit(limit)}))
      `.execute(tx);
      if (numAffectedRows > 0n) return true;
    }
    await sql`
      update fleets set has_users_to_remove = false where simulation_org_id = ${fleet.simulation_org_id}
    `.execute(tx);
    return true;
  });
}

const HAS_USERS_TO_REMOVE = sql<SqlBool>`has_users_to_remove and status = 'cleaned'`;

/** A fleet with its simulation organization. */
export interface FleetWithLeftUsers {
  readonly orgId: string;
  readonly fleet: FleetKey;
}

/** Of each partner a fleet of which a clean-up has left something. */
export async function listFleetsWithLeftUsers(db: Db): Promise<FleetWithLeftUsers[]> {
  const { rows } = await sql<FleetKey>`
    select distinct on (org_id) org_id, id, simulation_org_id from fleets where ${HAS_USERS_TO_REMOVE} order by org_id, id
  `.execute(db);
  return rows.map((fleet) => ({ orgId: fleet.simulation_org_id, fleet }));
}

/** How many fleets are tried, of which others may be locked. */
const MOST_CANDIDATES = 32;

/** A fleet that nobody else has locked, until the transaction ends. */
async function lockNextFleet(tx: Tx, isMeant: RawBuilder<SqlBool>): Promise<FleetKey | undefined> {
  const { rows: candidates } = await sql<FleetKey>`
    select org_id, id, simulation_org_id from fleets where ${isMeant} order by org_id, id limit ${sql.lit(MOST_CANDIDATES)}
  `.execute(tx);
  for (const candidate of candidates) {
    const fleet = await lockIf(tx, candidate, isMeant, 'skip');
    if (fleet !== undefined) return fleet;
  }
  return undefined;
}

async function lockIf(
  tx: Tx,
  { org_id: orgId, id, simulation_org_id: simulationOrgId }: FleetKey,
  isMeant: RawBuilder<SqlBool>,
  whenLocked: 'skip' | 'wait',
): Promise<FleetKey | undefined> {
  const { rows } = await sql<FleetKey>`
    select org_id, id, simulation_org_id from fleets
    where simulation_org_id = ${simulationOrgId} and org_id = ${orgId} and id = ${id} and ${isMeant}
    for update ${sql.raw(whenLocked === 'skip' ? 'skip locked' : '')}
  `.execute(tx);
  return rows[0];
}

/** In an order in which no row takes many others with it. Users are found by their households: an organization may have many others. */
function rowsOfUsers({ id, simulation_org_id: orgId }: Pick<Fleet, 'id' | 'simulation_org_id'>) {
  const ofHouseholds = sql`from households h where h.org_id = ${orgId} and h.fleet_id = ${id}`;
  const ofLeftUsers = sql`org_id = ${orgId} and user_id in (select h.user_id ${ofHouseholds})`;
  return [
    {
      table: 'applications',
      rows: sql`select ctid from applications where org_id = ${orgId} and owner_user_id in (select h.user_id ${ofHouseholds})`,
    },
    { table: 'notification_items', rows: sql`select ctid from notification_items where org_id = ${orgId}` },
    { table: 'control_revisions', rows: sql`select ctid from control_revisions where ${ofLeftUsers}` },
    { table: 'user_places', rows: sql`select ctid from user_places where ${ofLeftUsers}` },
    {
      table: 'device_interruptions',
      rows: sql`select ctid from device_interruptions where org_id = ${orgId}`,
    },
    {
      table: 'devices',
      rows: sql`select ctid from devices where org_id = ${orgId} and household_index is not null and fleet_id = ${id}`,
    },
    {
      table: 'users',
      rows: sql`select u.ctid from households h join users u on u.org_id = h.org_id and u.id = h.user_id
        where h.org_id = ${orgId} and h.fleet_id = ${id}`,
    },
  ] as const;
}

/**
 * Removes at most `limit` checkpoints of one cleaned fleet; resolves to `limit` when more may be left, of it or of others, and
 * to 0 when none are. A fleet that somebody has locked, and what a purge is removing, are left to them.
 */
export function deleteLeftCheckpoints(db: Db, limit: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const fleet = await lockNextFleet(tx, sql<SqlBool>`has_checkpoints_to_remove`);
    if (fleet === undefined) return 0;
    if ((await deleteBatchOf(tx, 'household_checkpoints', fleet.simulation_org_id, limit)) < limit) {
      await sql`
        update fleets set has_checkpoints_to_remove = false where simulation_org_id = ${fleet.simulation_org_id}
      `.execute(tx);
    }
    return limit;
  });
}

/** Tables of an organization in an order in which no row is left behind that another needs. */
export const PURGED_TABLES = [
  'notification_items',
  'delivery_attempts',
  'deliveries',
  'messages',
  'webhooks',
  'device_interruptions',
  'device_conditions',
  'charge_checks',
  'control_revisions',
  'devices',
  'applications',
  'access_tokens',
  'portal_sessions',
  'user_places',
  'users',
  'household_checkpoints',
  'households',
  'day_ahead_prices',
  'price_counts',
  'pending_item_counts',
  'device_counts',
  'shared_outages',
  'logged_requests',
  'unlogged_requests',
] as const satisfies readonly (keyof Database)[];

/**
 * Removes at most `limit` rows of a simulation organization; 0 when nothing is left in it. `users` are those among them
 * that user_counts counts; deliveries that are still pending are counted off.
 */
export async function deleteSimulationRowsBatch(
  tx: Tx,
  orgId: string,
  limit: number,
): Promise<{ readonly rows: number; readonly users: number }> {
  for (const table of PURGED_TABLES) {
    // Whoever cancels a webhook's deliveries holds it.
    if (table === 'deliveries')
      await sql`select from webhooks where org_id = ${orgId} order by id for update`.execute(tx);
    const { rows } = await sql<{ rows: number; counted: number }>`
      with removed as (
        delete from ${sql.table(table)} where org_id = ${orgId} and ctid = any(array(
          select ctid from ${sql.table(table)} where org_id = ${orgId} limit ${limit}))
        returning ${isCounted(table)} as is_counted
      )
      select count(*) as rows, count(*) filter (where is_counted) as counted from removed
    `.execute(tx);
    const [removed] = rows;
    if (removed === undefined || removed.rows === 0) continue;
    if (table === 'deliveries') await addToPendingCounts(tx, orgId, CANCELLING_SHARD, -removed.counted);
    return { rows: removed.rows, users: table === 'users' ? removed.counted : 0 };
  }
  return { rows: 0, users: 0 };
}

function isCounted(table: (typeof PURGED_TABLES)[number]): RawBuilder<SqlBool> {
  if (table === 'users') return sql<SqlBool>`fleet_id is null and deleted_at is null`;
  return table === 'deliveries' ? sql<SqlBool>`state = 'pending'` : sql<SqlBool>`false`;
}

/** Removes the fleet's record and the organization that it reserved, which must be empty. */
export async function deleteFleetAndItsOrganization(tx: Tx, fleet: Fleet): Promise<void> {
  await tx
    .deleteFrom('fleets')
    .where('simulation_org_id', '=', fleet.simulation_org_id)
    .where('org_id', '=', fleet.org_id)
    .where('id', '=', fleet.id)
    .execute();
  await tx.deleteFrom('organizations').where('id', '=', fleet.simulation_org_id).execute();
}
