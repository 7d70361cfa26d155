import { sql } from 'kysely';
import type { RawBuilder, SqlBool } from 'kysely';
import type { Database } from '../../../generated/database.ts';
import type { Db, Tx } from '../connection/database.ts';
import { listDeletedUpTo } from '../connection/newest-kept.ts';
import type { DeletedRow } from '../connection/newest-kept.ts';

/** Users of one organization. */
interface Users {
  readonly orgId: string;
  readonly ids: readonly string[];
}

interface OwnedRows {
  readonly table: keyof Database;
  /** How many rows one of these counts for, with what goes by cascade; one where it is left out. */
  readonly cost?: number;
  /** Whether a row `owned` of the organization is of the user `wanted`. */
  readonly isOf: (orgId: string) => RawBuilder<SqlBool>;
}

const ownedBy = (column: string) => () => sql<SqlBool>`${sql.ref(`owned.${column}`)} = wanted.id`;

/**
 * What one user may have many rows of in its organization, in the order in which it goes: no row takes many others with it. Tokens
 * and sessions ended with the deletion; the few that began meanwhile go by cascade.
 */
const ROWS_OF_USERS: readonly OwnedRows[] = [
  { table: 'notification_items', isOf: ownedBy('owner_id') },
  { table: 'broadcast_dismissals', isOf: ownedBy('user_id') },
  { table: 'control_revisions', isOf: ownedBy('user_id') },
  { table: 'user_places', isOf: ownedBy('user_id') },
  {
    table: 'device_interruptions',
    isOf: (orgId) => sql`owned.device_id in (
      select d.id from devices d where d.org_id = ${orgId} and d.user_id = wanted.id)`,
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
 * Each organization has a transaction of its own. A household stays, as all of a fleet do until it is purged.
 */
export async function deleteUsersDeletedBefore(db: Db, instant: Date, limit: number): Promise<number> {
  const most = Math.ceil(limit / COST_OF_USER);
  const { rows } = await sql<{ org_id: string; id: string }>`
    select org_id, id from users where deleted_at < ${instant} order by deleted_at limit ${sql.lit(most)}
  `.execute(db);
  let removed = 0;
  for (const [orgId, users] of Map.groupBy(rows, ({ org_id }) => org_id)) {
    const ofOrganization = { orgId, ids: users.map(({ id }) => id) };
    const gone = await db.transaction().execute((tx) => deleteUsersOf(tx, ofOrganization, limit));
    if (gone === 'rows of theirs') return limit;
    removed += gone;
  }
  return removed === most ? limit : removed;
}

/** The same of one organization's users up to a deleted one; resolves to whether more of them may be left. */
export async function deleteUsersUpTo(
  db: Db,
  orgId: string,
  last: DeletedRow,
  limit: number,
): Promise<boolean> {
  const most = Math.ceil(limit / COST_OF_USER);
  const ids = await listDeletedUpTo(db, 'users', orgId, last, most);
  if (ids.length === 0) return false;
  const gone = await db.transaction().execute((tx) => deleteUsersOf(tx, { orgId, ids }, limit));
  return gone === 'rows of theirs' || gone === most;
}

/** The number of users that were removed, unless there was something of theirs to remove. */
async function deleteUsersOf(
  tx: Tx,
  { orgId, ids }: Users,
  limit: number,
): Promise<number | 'rows of theirs'> {
  const { rows } = await sql<{ id: string }>`
    select id from users where org_id = ${orgId} and id = any(${ids}::uuid[]) and deleted_at is not null
    order by id for update skip locked
  `.execute(tx);
  const users = { orgId, ids: rows.map(({ id }) => id) };
  if (rows.length === 0) return 0;
  for (const owned of ROWS_OF_USERS) {
    if ((await deleteRowsOf(tx, users, owned, Math.ceil(limit / (owned.cost ?? 1)))) > 0)
      return 'rows of theirs';
  }
  const elsewhere = await findDismissalsElsewhere(tx, users);
  if (elsewhere !== undefined) {
    const isTheirs = sql`org_id = ${elsewhere} and user_id = any(${users.ids}::uuid[])`;
    await sql`
      delete from broadcast_dismissals where ${isTheirs} and ctid = any(array(
        select ctid from broadcast_dismissals where ${isTheirs} limit ${sql.lit(limit)}))
    `.execute(tx);
    return 'rows of theirs';
  }
  return deleteUsersWithoutRows(tx, users);
}

async function deleteRowsOf(
  tx: Tx,
  { orgId, ids }: Users,
  { table, isOf }: OwnedRows,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where org_id = ${orgId} and ctid = any(array(
      select found.ctid from unnest(${ids}::uuid[]) as wanted (id), lateral (
        select ctid from ${sql.table(table)} owned where owned.org_id = ${orgId} and ${isOf(orgId)}
        limit ${sql.lit(limit)} for update skip locked
      ) found
      limit ${sql.lit(limit)}))
  `.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/** A simulation organization of theirs of which they have dismissed broadcasts: one for each fleet and user at most. */
async function findDismissalsElsewhere(tx: Tx, { orgId, ids }: Users): Promise<string | undefined> {
  const { rows } = await sql<{ org_id: string }>`
    select b.org_id from broadcast_dismissals b join organizations o on o.id = b.org_id
    where o.parent_org_id = ${orgId} and b.user_id = any(${ids}::uuid[]) limit 1
  `.execute(tx);
  return rows[0]?.org_id;
}

async function deleteUsersWithoutRows(tx: Tx, { orgId, ids }: Users): Promise<number> {
  const isGone = ROWS_OF_USERS.map(
    ({ table, isOf }) =>
      sql`not exists (select from ${sql.table(table)} owned where owned.org_id = ${orgId} and ${isOf(orgId)})`,
  );
  const { numAffectedRows } = await sql`
    delete from users wanted
    where wanted.org_id = ${orgId} and wanted.id = any(${ids}::uuid[]) and ${sql.join(isGone, sql` and `)}
  `.execute(tx);
  return Number(numAffectedRows ?? 0n);
}
