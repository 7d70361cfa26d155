import { sql, type SqlBool } from 'kysely';
import type { DeviceType } from '../../domain/notifications/envelope.ts';
import type { ItemKind } from '../../domain/notifications/conditions.ts';
import { violatedConstraint, type Db, type Tx } from '../connection/database.ts';

/** Which items a reader sees. */
export interface ItemScope {
  readonly orgId: string;
  /** Only this user's items; undefined: everybody's. */
  readonly ownerId: string | undefined;
  /** Whose dismissals of broadcasts count. */
  readonly readerId: string;
  /** Whether broadcasts are included: for the organization's users, and for readers of all its items. */
  readonly broadcasts: boolean;
}

/** An item as one reader sees it. */
export interface NotificationItem {
  readonly org_id: string;
  readonly id: string;
  readonly kind: ItemKind;
  /** The device's condition; null for a broadcast. */
  readonly code: string | null;
  readonly device_id: string | null;
  readonly device_type: string | null;
  /** Null for a broadcast. */
  readonly owner_id: string | null;
  readonly message: string;
  readonly occurred_at: Date;
  readonly cleared_at: Date | null;
  readonly dismissed: boolean;
}

export interface PendingCount {
  readonly device_type: DeviceType;
  readonly kind: ItemKind;
  readonly count: number;
}

/**
 * Pending items of devices by type and kind; broadcasts, which have no device, do not count. One owner's are counted, the
 * organization's are kept in pending_item_counts.
 */
export async function countPendingItems(
  db: Db,
  { orgId, ownerId }: Pick<ItemScope, 'orgId' | 'ownerId'>,
): Promise<PendingCount[]> {
  const counts =
    ownerId === undefined
      ? sql<PendingCount>`select device_type, kind, sum(items) as count from pending_item_counts where org_id = ${orgId}`
      : sql<PendingCount>`
          select device_type, kind, count(*) as count from notification_items
          where org_id = ${orgId} and owner_id = ${ownerId} and dismissed_at is null and cleared_at is null
            and device_type is not null`;
  const { rows } = await sql<PendingCount>`${counts} group by device_type, kind`.execute(db);
  return rows;
}

type StoredItem = Omit<NotificationItem, 'dismissed'> & { readonly dismissed_at: Date | null };

/** An item of one of these organizations; items of deleted users are not found. */
export async function findNotificationItem(
  db: Db | Tx,
  orgIds: readonly string[],
  id: string,
): Promise<StoredItem | undefined> {
  const isOfThese = (column: string) => sql<SqlBool>`${sql.ref(column)} = any(${orgIds}::uuid[])`;
  return selectItem(db, id)
    .where(isOfThese('notification_items.org_id'))
    .where(
      sql<SqlBool>`not exists (select from users u where ${isOfThese('u.org_id')} and ${IS_DELETED_OWNER})`,
    )
    .executeTakeFirst();
}

/** The same by its id alone, for links that do not name the organization. */
export async function findNotificationItemOfOlderLink(db: Db, id: string): Promise<StoredItem | undefined> {
  return selectItem(db, id)
    .where(sql<SqlBool>`not exists (select from users u where ${IS_DELETED_OWNER})`)
    .executeTakeFirst();
}

const IS_DELETED_OWNER = sql<SqlBool>`u.org_id = notification_items.org_id and u.id = notification_items.owner_id
  and u.deleted_at is not null`;

function selectItem(db: Db | Tx, id: string) {
  return db
    .selectFrom('notification_items')
    .select([
      'org_id',
      'id',
      'kind',
      'code',
      'device_id',
      'device_type',
      'owner_id',
      'message',
      'occurred_at',
      'cleared_at',
      'dismissed_at',
    ])
    .where('id', '=', id);
}

/**
 * Dismisses a broadcast for one user; a second dismissal changes nothing. False when the broadcast's organization has no
 * such user.
 */
export async function insertBroadcastDismissal(
  db: Db,
  broadcast: { readonly org_id: string; readonly id: string },
  userId: string,
  now: Date,
): Promise<boolean> {
  try {
    await db
      .insertInto('broadcast_dismissals')
      .values({ org_id: broadcast.org_id, item_id: broadcast.id, user_id: userId, dismissed_at: now })
      .onConflict((conflict) => conflict.columns(['org_id', 'item_id', 'user_id']).doNothing())
      .execute();
    return true;
  } catch (error) {
    if (violatedConstraint(error) === 'broadcast_dismissals_user_fkey') return false;
    throw error;
  }
}

/** Whether the organization has this user; a deleted one does not count. */
export async function hasUser(db: Db, orgId: string, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Actions that are open in each of these organizations; one that has none is left out. */
export async function countOpenActions(
  db: Db,
  orgIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (orgIds.length === 0) return new Map();
  const { rows } = await sql<{ org_id: string; count: number }>`
    select org_id, sum(items) as count from pending_item_counts
    where org_id = any(${orgIds}::uuid[]) and kind = 'action'
    group by org_id having sum(items) > 0
  `.execute(db);
  return new Map(rows.map(({ org_id: orgId, count }) => [orgId, count]));
}

/** Items of an organization that are looked through for an action that was resolved. */
const MOST_SOUGHT = 1_000;

/** Whether something was told of the organization's devices, and whether one of its actions was resolved. */
export async function findNotificationHistory(
  db: Db,
  orgId: string,
): Promise<{ readonly hasMessage: boolean; readonly hasResolved: boolean }> {
  const { rows } = await sql<{ hasMessage: boolean; hasResolved: boolean }>`
    select exists (select from messages where org_id = ${orgId}) as "hasMessage",
      exists (
        select from (
          select kind, dismissed_at, cleared_at from notification_items
          where org_id = ${orgId} limit ${sql.lit(MOST_SOUGHT)}
        ) i
        where i.kind = 'action' and coalesce(i.dismissed_at, i.cleared_at) is not null
      ) as "hasResolved"
  `.execute(db);
  return rows[0] ?? { hasMessage: false, hasResolved: false };
}
