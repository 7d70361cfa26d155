import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { MAX_TOTAL } from '../../domain/api/page-links.ts';
import { DEVICE_TYPES } from '../../domain/fleets/devices.ts';
import { CONDITION_CODES } from '../../domain/notifications/conditions.ts';
import type { DeviceType } from '../../domain/notifications/envelope.ts';
import { isActiveUser } from '../accounts/active-users.ts';
import type { Db } from '../connection/database.ts';
import type { ItemScope, NotificationItem } from './notifications.ts';

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

export interface ItemPage {
  readonly items: NotificationItem[];
  readonly total: number;
  /** Whether there are more than `total`: no more were counted. */
  readonly isTotalCapped: boolean;
  /** Whether items follow this page. */
  readonly hasMore: boolean;
}

type Condition = RawBuilder<SqlBool>;

const ITEM_COLUMNS = sql`i.org_id, i.id, i.kind, i.code, i.device_id, i.device_type, i.owner_id, i.message, i.occurred_at,
  i.cleared_at`;
const IS_PENDING = sql<SqlBool>`i.dismissed_at is null and i.cleared_at is null`;
const IS_INFORMATION = sql<SqlBool>`i.kind = 'information'`;
const HAS_READER = sql<SqlBool>`(i.owner_id is null or ${isActiveUser('i.org_id', 'i.owner_id')})`;

/** Items that are neither dismissed nor cleared: actions and information, newest first. */
export function listPendingItems(
  db: Db,
  scope: ItemScope,
  filter: ItemFilter,
  pageRequest: PageRequest,
): Promise<ItemPage> {
  const isUnread = sql<SqlBool>`(i.owner_id is not null or not ${dismissedByReader(scope)})`;
  return listItems(db, scope, rangesOf(scope, filter, [IS_PENDING, isUnread]), pageRequest);
}

/** All information items, newest first, dismissed and cleared ones too; those of deleted users are hidden. */
export function listInformationItems(
  db: Db,
  scope: ItemScope,
  filter: ItemFilter,
  pageRequest: PageRequest,
): Promise<ItemPage> {
  const ranges = rangesOf(scope, filter, [IS_INFORMATION, HAS_READER]);
  return listItems(db, scope, ranges, pageRequest);
}

/**
 * A page of the items in some ranges, none of which overlap. Each range is a part of one index in the order of the list, and the
 * list is merged from their beginnings: it costs what the page costs. So does the total, which is counted up to MAX_TOTAL.
 */
async function listItems(
  db: Db,
  scope: ItemScope,
  ranges: readonly Condition[],
  { limit, offset }: PageRequest,
): Promise<ItemPage> {
  if (ranges.length === 0) return { items: [], total: 0, isTotalCapped: false, hasMore: false };
  const { rows } = await sql<NotificationItem>`
    select ${ITEM_COLUMNS}, (i.dismissed_at is not null or (i.owner_id is null and ${dismissedByReader(scope)})) as dismissed
    from (${merged(ranges, sql`${ITEM_COLUMNS}, i.dismissed_at`, offset + limit + 1)}) i
    order by i.occurred_at desc, i.id desc
    limit ${sql.lit(limit + 1)} offset ${sql.lit(offset)}
  `.execute(db);
  const items = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  const end = offset + items.length;
  // The end of the list is on this page, and so its length.
  if (!hasMore && (offset === 0 || items.length > 0))
    return { items, total: end, isTotalCapped: false, hasMore };
  const counted = await countItems(db, ranges);
  if (counted <= MAX_TOTAL) return { items, total: counted, isTotalCapped: false, hasMore };
  const known = items.length === 0 ? 0 : end;
  return { items, total: Math.max(MAX_TOTAL, known), isTotalCapped: true, hasMore };
}

/** The number of items in the ranges, up to one more than MAX_TOTAL. */
async function countItems(db: Db, ranges: readonly Condition[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select from (${merged(ranges, sql`i.id`, MAX_TOTAL + 1)}) i limit ${sql.lit(MAX_TOTAL + 1)}
    ) counted
  `.execute(db);
  return rows[0]?.count ?? 0;
}

/**
 * The first `limit` items of each range. Each is ordered by itself, so that it is read from its index; limits are written out,
 * since the planner takes one that it does not know for a tenth of the table.
 */
function merged(
  ranges: readonly Condition[],
  columns: RawBuilder<unknown>,
  limit: number,
): RawBuilder<unknown> {
  const parts = ranges.map(
    (range) => sql`(
      select ${columns} from notification_items i where ${range}
      order by i.occurred_at desc, i.id desc limit ${sql.lit(limit)})`,
  );
  return sql.join(parts, sql` union all `);
}

/**
 * The items that a reader sees through a filter, as ranges of one index each: by device, by owner (and broadcasts, which have
 * none), by code and type of device, or all of the organization.
 */
function rangesOf(scope: ItemScope, filter: ItemFilter, list: readonly Condition[]): Condition[] {
  const { deviceId, deviceType, codes, from, to } = filter;
  const { ownerId } = scope;
  const always = [
    sql<SqlBool>`i.org_id = ${scope.orgId}`,
    ...list,
    ...(from === undefined ? [] : [sql<SqlBool>`i.occurred_at >= ${from}`]),
    ...(to === undefined ? [] : [sql<SqlBool>`i.occurred_at <= ${to}`]),
  ];
  const range = (...conditions: readonly Condition[]): Condition =>
    sql<SqlBool>`${sql.join([...always, ...conditions], sql` and `)}`;
  const isOwned = ownerId === undefined ? [] : [sql<SqlBool>`i.owner_id = ${ownerId}`];
  const isOfType = deviceType === undefined ? [] : [sql<SqlBool>`i.device_type = ${deviceType}`];
  const hasCode = codes === undefined ? [] : [sql<SqlBool>`i.code = any(${codes}::text[])`];
  if (deviceId !== undefined)
    return [range(sql<SqlBool>`i.device_id = ${deviceId}`, ...isOwned, ...isOfType, ...hasCode)];
  // Broadcasts have neither a device nor a code.
  if (codes !== undefined || deviceType !== undefined) {
    if (ownerId !== undefined) return [range(...isOwned, ...isOfType, ...hasCode)];
    const wanted = CONDITION_CODES.filter((code) => codes === undefined || codes.includes(code));
    const types = deviceType === undefined ? DEVICE_TYPES : [deviceType];
    return wanted.flatMap((code) =>
      types.map((type) => range(sql<SqlBool>`i.code = ${code}`, sql<SqlBool>`i.device_type = ${type}`)),
    );
  }
  if (ownerId === undefined)
    return [scope.broadcasts ? range() : range(sql<SqlBool>`i.owner_id is not null`)];
  return [range(...isOwned), ...(scope.broadcasts ? [range(sql<SqlBool>`i.owner_id is null`)] : [])];
}

/* A single value in place of `exists`: the planner reads one row for each item by its key, and never the table into a hash. */
function dismissedByReader({ readerId }: ItemScope): Condition {
  return sql<SqlBool>`((
    select b.item_id from broadcast_dismissals b
    where b.org_id = i.org_id and b.item_id = i.id and b.user_id = ${readerId}) is not null)`;
}
