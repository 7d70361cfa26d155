import { sql } from 'kysely';
import type { Database } from '../../../generated/database.ts';
import type { Db, Tx } from '../connection/database.ts';
import { deleteBatch } from '../connection/delete-batch.ts';
import type { Fleet } from './fleets.ts';

/**
 * Removes the fleet's users, devices and notifications at once; households (with their locations), other users, webhooks and messages
 * stay, and the checkpoints, which nobody reads any more, are left to `deleteLeftCheckpoints`. Items go first and by organization, so that a device's removal finds none to follow.
 */
export async function deleteSimulatedUsersAndDevices(tx: Tx, fleet: Fleet): Promise<void> {
  const orgId = fleet.simulation_org_id;
  await sql`delete from notification_items where org_id = ${orgId}`.execute(tx);
  await sql`delete from devices where org_id = ${orgId} and fleet_id = ${fleet.id}`.execute(tx);
  await sql`
    delete from applications a using users u
    where u.org_id = ${orgId} and u.fleet_id = ${fleet.id} and a.org_id = u.org_id and a.owner_user_id = u.id
  `.execute(tx);
  await sql`delete from users where org_id = ${orgId} and fleet_id = ${fleet.id}`.execute(tx);
}

/**
 * Removes at most `limit` checkpoints of one cleaned fleet; resolves to `limit` when more may be left, of it or of others, and
 * to 0 when none are. A fleet that somebody has locked, and what a purge is removing, are left to them.
 */
export function deleteLeftCheckpoints(db: Db, limit: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const { rows: fleets } = await sql<Pick<Fleet, 'org_id' | 'id' | 'simulation_org_id'>>`
      select org_id, id, simulation_org_id from fleets where has_checkpoints_to_remove
      order by org_id, id limit 1 for update skip locked
    `.execute(tx);
    const [fleet] = fleets;
    if (fleet === undefined) return 0;
    const itsOwn = sql`where org_id = ${fleet.simulation_org_id}`;
    if ((await deleteBatch(tx, 'household_checkpoints', itsOwn, limit)) < limit) {
      await sql`
        update fleets set has_checkpoints_to_remove = false where org_id = ${fleet.org_id} and id = ${fleet.id}
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
  'device_conditions',
  'devices',
  'applications',
  'access_tokens',
  'portal_sessions',
  'users',
  'household_checkpoints',
  'households',
  'day_ahead_prices',
  'price_counts',
  'pending_item_counts',
  'device_counts',
] as const satisfies readonly (keyof Database)[];

/**
 * Removes at most `limit` rows of a simulation organization; 0 when nothing is left in it. `users` are those among them
 * that user_counts counts.
 */
export async function deleteSimulationRowsBatch(
  tx: Tx,
  orgId: string,
  limit: number,
): Promise<{ readonly rows: number; readonly users: number }> {
  for (const table of PURGED_TABLES) {
    const isCounted = table === 'users' ? sql`fleet_id is null and deleted_at is null` : sql`false`;
    const { rows } = await sql<{ rows: number; users: number }>`
      with removed as (
        delete from ${sql.table(table)} where ctid = any(array(
          select ctid from ${sql.table(table)} where org_id = ${orgId} limit ${limit}))
        returning ${isCounted} as is_counted
      )
      select count(*) as rows, count(*) filter (where is_counted) as users from removed
    `.execute(tx);
    const [removed] = rows;
    if (removed !== undefined && removed.rows > 0) return removed;
  }
  return { rows: 0, users: 0 };
}

/** Removes the fleet's record and the organization that it reserved, which must be empty. */
export async function deleteFleetAndItsOrganization(tx: Tx, fleet: Fleet): Promise<void> {
  await tx.deleteFrom('fleets').where('org_id', '=', fleet.org_id).where('id', '=', fleet.id).execute();
  await tx.deleteFrom('organizations').where('id', '=', fleet.simulation_org_id).execute();
}
