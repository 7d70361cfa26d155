import { sql } from 'kysely';
import type { RawBuilder, SqlBool } from 'kysely';
import type { Database } from '../../../generated/database.ts';
import type { Db, Tx } from '../connection/database.ts';
import { unnestRows } from '../connection/rows.ts';

interface UserKey {
  readonly org_id: string;
  readonly id: string;
}

interface OwnedRows {
  readonly table: keyof Database;
  /** How many rows one of these counts for, with what goes by cascade; one where it is left out. */
  readonly cost?: number;
  /** Whether a row `owned` is of the user `rows`. */
  readonly isOf: RawBuilder<SqlBool>;
}

const ownedBy = (column: string): RawBuilder<SqlBool> =>
  sql`owned.org_id = rows.org_id and ${sql.ref(`owned.${column}`)} = rows.id`;

/**
 * What one user may have many rows of, in the order in which it goes: no row takes many others with it. Tokens and sessions ended
 * with the deletion; the few that began meanwhile go by cascade.
 */
const ROWS_OF_USERS: readonly OwnedRows[] = [
  { table: 'notification_items', isOf: ownedBy('owner_id') },
  {
    table: 'broadcast_dismissals',
    // Also of broadcasts in the simulation organizations of the user's.
    isOf: sql`owned.user_id = rows.id and (owned.org_id = rows.org_id or exists (
      select from organizations o where o.id = owned.org_id and o.parent_org_id = rows.org_id))`,
  },
  { table: 'control_revisions', isOf: ownedBy('user_id') },
  { table: 'user_places', isOf: ownedBy('user_id') },
  {
    table: 'device_interruptions',
    isOf: sql`owned.org_id = rows.org_id and owned.device_id in (
      select d.id from devices d where d.org_id = rows.org_id and d.user_id = rows.id)`,
  },
  { table: 'devices', cost: 2, isOf: ownedBy('user_id') },
  { table: 'applications', isOf: ownedBy('owner_user_id') },
];

/** How many rows a user counts for, who is looked for in all tables that refer to one. */
const COST_OF_USER = 4;

/**
 * Removes users who were deleted before `instant`, with all that is theirs, at most `limit` rows at a time; resolves to how many,
 * and to `limit` when more may be left. What belongs to a user goes first, and a user of whom anything is left stays: so a
 * removal that is interrupted goes on where it ended. Rows that others have locked are left for the next round, so it waits for nobody.
 * A household stays, as all of a fleet do until it is purged.
 */
export function deleteUsersDeletedBefore(db: Db, instant: Date, limit: number): Promise<number> {
  const most = Math.ceil(limit / COST_OF_USER);
  return db.transaction().execute(async (tx) => {
    const { rows: users } = await sql<UserKey>`
      select org_id, id from users where deleted_at < ${instant}
      order by deleted_at limit ${sql.lit(most)} for update skip locked
    `.execute(tx);
    if (users.length === 0) return 0;
    for (const owned of ROWS_OF_USERS) {
      if ((await deleteRowsOf(tx, users, owned, Math.ceil(limit / (owned.cost ?? 1)))) > 0) return limit;
    }
    const removed = await deleteUsersWithoutRows(tx, users);
    return removed === most ? limit : removed;
  });
}

async function deleteRowsOf(
  tx: Tx,
  users: readonly UserKey[],
  { table, isOf }: OwnedRows,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select found.ctid from ${unnestRows(users, { org_id: 'uuid', id: 'uuid' })}, lateral (
        select ctid from ${sql.table(table)} owned where ${isOf}
        limit ${sql.lit(limit)} for update skip locked
      ) found
      limit ${sql.lit(limit)}))
  `.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

async function deleteUsersWithoutRows(tx: Tx, users: readonly UserKey[]): Promise<number> {
  const isGone = ROWS_OF_USERS.map(
    ({ table, isOf }) => sql`not exists (select from ${sql.table(table)} owned where ${isOf})`,
  );
  const { numAffectedRows } = await sql`
    delete from users using ${unnestRows(users, { org_id: 'uuid', id: 'uuid' })}
    where users.org_id = rows.org_id and users.id = rows.id and ${sql.join(isGone, sql` and `)}
  `.execute(tx);
  return Number(numAffectedRows ?? 0n);
}
