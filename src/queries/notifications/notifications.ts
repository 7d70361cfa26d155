import { sql, type Expression, type SqlBool } from 'kysely';
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

/** Filters of the lists; all that are given must hold. Instants are inclusive. */
export interface ItemFilter {
  readonly deviceId?: string | undefined;
  readonly deviceType?: DeviceType | undefined;
  /** Any of these; items without a code drop out. */
  readonly codes?: readonly string[] | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
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

export interface ItemPage {
  readonly items: NotificationItem[];
  readonly total: number;
}

/** Items that are neither dismissed nor cleared: actions and information, newest first. */
export function listPendingItems(
  db: Db,
  scope: ItemScope,
  filter: ItemFilter,
  pageRequest: PageRequest,
): Promise<ItemPage> {
  const pending = sql<SqlBool>`i.dismissed_at is null and i.cleared_at is null and not ${dismissedByReader(scope)}`;
  return listItems(db, scope, [pending, ...conditionsOf(filter)], pageRequest);
}

/** All information items, newest first, dismissed and cleared ones too. */
export function listInformationItems(
  db: Db,
  scope: ItemScope,
  filter: ItemFilter,
  pageRequest: PageRequest,
): Promise<ItemPage> {
  return listItems(db, scope, [sql<SqlBool>`i.kind = 'information'`, ...conditionsOf(filter)], pageRequest);
}

export interface PendingCount {
  readonly device_type: DeviceType;
  readonly kind: ItemKind;
  readonly count: number;
}

/** Pending items of devices by type and kind; broadcasts, which have no device, do not count. */
export async function countPendingItems(db: Db, scope: ItemScope): Promise<PendingCount[]> {
  const { rows } = await sql<PendingCount>`
    select i.device_type, i.kind, count(*) as count
    from notification_items i
    where ${visible({ ...scope, broadcasts: false })}
      and i.dismissed_at is null and i.cleared_at is null and i.device_type is not null
    group by i.device_type, i.kind
  `.execute(db);
  return rows;
}

/** An item by its id alone, since links do not name the organization; items of deleted users are not found. */
export async function findNotificationItem(
  db: Db | Tx,
  id: string,
): Promise<(Omit<NotificationItem, 'dismissed'> & { readonly dismissed_at: Date | null }) | undefined> {
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
    .where('id', '=', id)
    .where(
      sql<SqlBool>`not exists (select from users u where u.org_id = notification_items.org_id
      and u.id = notification_items.owner_id and u.deleted_at is not null)`,
    )
    .executeTakeFirst();
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

async function listItems(
  db: Db,
  scope: ItemScope,
  conditions: readonly Expression<SqlBool>[],
  { limit, offset }: PageRequest,
): Promise<ItemPage> {
  const where = sql.join([visible(scope), ...conditions], sql` and `);
  const items = await sql<NotificationItem>`
    select i.org_id, i.id, i.kind, i.code, i.device_id, i.device_type, i.owner_id, i.message, i.occurred_at,
           i.cleared_at, (i.dismissed_at is not null or ${dismissedByReader(scope)}) as dismissed
    from notification_items i
    where ${where}
    order by i.occurred_at desc, i.id desc
    limit ${limit} offset ${offset}
  `.execute(db);
  const total = await sql<{ count: number }>`
    select count(*) as count from notification_items i where ${where}
  `.execute(db);
  return { items: items.rows, total: total.rows[0]?.count ?? 0 };
}

/** Items of a deleted user are hidden from all. */
function visible({ orgId, ownerId, broadcasts }: ItemScope): Expression<SqlBool> {
  const owned = sql<SqlBool>`(i.owner_id is not null and not exists (
    select from users u where u.org_id = i.org_id and u.id = i.owner_id and u.deleted_at is not null))`;
  const own = ownerId === undefined ? owned : sql<SqlBool>`i.owner_id = ${ownerId}`;
  return broadcasts
    ? sql<SqlBool>`i.org_id = ${orgId} and (${own} or i.owner_id is null)`
    : sql<SqlBool>`i.org_id = ${orgId} and ${own}`;
}

function dismissedByReader({ readerId }: ItemScope): Expression<SqlBool> {
  return sql<SqlBool>`(i.owner_id is null and exists (
    select from broadcast_dismissals b
    where b.org_id = i.org_id and b.item_id = i.id and b.user_id = ${readerId}))`;
}

function conditionsOf({ deviceId, deviceType, codes, from, to }: ItemFilter): Expression<SqlBool>[] {
  return [
    ...(deviceId === undefined ? [] : [sql<SqlBool>`i.device_id = ${deviceId}`]),
    ...(deviceType === undefined ? [] : [sql<SqlBool>`i.device_type = ${deviceType}`]),
    ...(codes === undefined ? [] : [sql<SqlBool>`i.code = any(${codes}::text[])`]),
    ...(from === undefined ? [] : [sql<SqlBool>`i.occurred_at >= ${from}`]),
    ...(to === undefined ? [] : [sql<SqlBool>`i.occurred_at <= ${to}`]),
  ];
}
