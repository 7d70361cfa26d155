import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { MAX_PAGE_LIMIT, MAX_TOTAL } from '../../domain/api/page-links.ts';
import { DEVICE_TYPES } from '../../domain/fleets/devices.ts';
import { NOTICE_CODES } from '../../domain/notifications/conditions.ts';
import type { DeviceType } from '../../domain/notifications/envelope.ts';
import { isActiveUser } from '../accounts/active-users.ts';
import type { Db } from '../connection/database.ts';
import { prepareShapes } from '../connection/prepared.ts';
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
const hasReader = ({ orgId }: ItemScope) =>
  sql<SqlBool>`(i.owner_id is null or ${isActiveUser(orgId, 'i.owner_id')})`;

/** Items that are neither dismissed nor cleared: actions and information, newest first. */
export function listPendingItems(
  db: Db,
  scope: ItemScope,
  filter: ItemFilter,
  pageRequest: PageRequest,
): Promise<ItemPage> {
  return listItems(db, shapeOf('pending', scope, filter), { ...scope, ...filter }, pageRequest);
}

/** All information items, newest first, dismissed and cleared ones too; those of deleted users are hidden. */
export function listInformationItems(
  db: Db,
  scope: ItemScope,
  filter: ItemFilter,
  pageRequest: PageRequest,
): Promise<ItemPage> {
  return listItems(db, shapeOf('information', scope, filter), { ...scope, ...filter }, pageRequest);
}

/** What the statements of a list depend on beside values. */
interface ListShape {
  readonly list: 'pending' | 'information';
  /** What chooses the ranges of an index: a device, an owner, codes and types of devices, or nothing. */
  readonly by: 'device' | 'owner' | 'codes and types' | 'organization';
  /** The codes whose ranges are read. */
  readonly codes: readonly string[];
  readonly hasOwner: boolean;
  readonly hasBroadcasts: boolean;
  readonly hasType: boolean;
  /** Whether the items of the ranges are filtered by their code. */
  readonly hasCodes: boolean;
  readonly hasFrom: boolean;
  readonly hasTo: boolean;
}

type ListKeys = ItemScope & ItemFilter;
type PageKeys = ListKeys & PageRequest;

function shapeOf(list: ListShape['list'], scope: ItemScope, filter: ItemFilter): ListShape {
  const { deviceId, deviceType, codes, from, to } = filter;
  const isByKind =
    deviceId === undefined && scope.ownerId === undefined && (codes ?? deviceType) !== undefined;
  const by = scope.ownerId === undefined ? 'organization' : 'owner';
  return {
    list,
    by: deviceId === undefined ? (isByKind ? 'codes and types' : by) : 'device',
    codes: isByKind ? NOTICE_CODES.filter((code) => codes === undefined || codes.includes(code)) : [],
    hasOwner: scope.ownerId !== undefined,
    hasBroadcasts: scope.broadcasts,
    hasType: deviceType !== undefined,
    hasCodes: codes !== undefined && !isByKind,
    hasFrom: from !== undefined,
    hasTo: to !== undefined,
  };
}

/**
 * A page of the items in some ranges, none of which overlap. Each range is a part of one index in the order of the list, and the
 * list is merged from their beginnings: it costs what the page costs. So does the total, which is counted up to MAX_TOTAL.
 */
async function listItems(
  db: Db,
  shape: ListShape,
  keys: ListKeys,
  { limit, offset }: PageRequest,
): Promise<ItemPage> {
  if (shape.by === 'codes and types' && shape.codes.length === 0)
    return { items: [], total: 0, isTotalCapped: false, hasMore: false };
  const rows = await readPage(db, shape, keys, { limit: limit + 1, offset });
  const items = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  const end = offset + items.length;
  // The end of the list is on this page, and so its length.
  if (!hasMore && (offset === 0 || items.length > 0))
    return { items, total: end, isTotalCapped: false, hasMore };
  // More than are counted lie before the end of this page or follow it.
  if (hasMore && end >= MAX_TOTAL) return { items, total: end, isTotalCapped: true, hasMore };
  const counted = await countItems(db, shape, keys);
  if (counted <= MAX_TOTAL) return { items, total: counted, isTotalCapped: false, hasMore };
  const known = items.length === 0 ? 0 : end;
  return { items, total: Math.max(MAX_TOTAL, known), isTotalCapped: true, hasMore };
}

/** A page, and the row that tells whether there is another one. */
const FIRST_ROWS = MAX_PAGE_LIMIT + 1;

/** First pages are prepared. Pages further on read another number of rows each, which has to be known when they are planned. */
async function readPage(
  db: Db,
  shape: ListShape,
  keys: ListKeys,
  pageRequest: PageRequest,
): Promise<NotificationItem[]> {
  const pageKeys = { ...keys, ...pageRequest };
  const end = pageRequest.offset + pageRequest.limit;
  if (end <= FIRST_ROWS) return selectFirstPage(shape)(db, pageKeys);
  return (await writePage(shape, pageKeys, end).execute(db)).rows;
}

/** The number of items in the ranges, up to one more than MAX_TOTAL. */
async function countItems(db: Db, shape: ListShape, keys: ListKeys): Promise<number> {
  const [row] = await selectCount(shape)(db, keys);
  return row?.count ?? 0;
}

const selectFirstPage = prepareShapes((_db, shape: ListShape, keys: PageKeys) =>
  writePage(shape, keys, FIRST_ROWS),
);
const selectCount = prepareShapes((_db, shape: ListShape, keys: ListKeys) => writeCount(shape, keys));

/** `most`: rows of each range; the page ends within them. Dismissals are looked up for the page alone, not for what it passes over. */
function writePage(shape: ListShape, keys: PageKeys, most: number): RawBuilder<NotificationItem> {
  const isDismissed = sql`(i.dismissed_at is not null or (i.owner_id is null and ${isDismissedBy(keys)}))`;
  const columns = sql`${ITEM_COLUMNS}, i.dismissed_at`;
  return sql<NotificationItem>`
    select ${ITEM_COLUMNS}, ${isDismissed} as dismissed
    from (
      select ${columns} from (${merged(rangesOf(shape, keys), columns, most)}) i
      order by i.occurred_at desc, i.id desc
      limit ${keys.limit} offset ${keys.offset}
    ) i
    order by i.occurred_at desc, i.id desc
  `;
}

function writeCount(shape: ListShape, keys: ListKeys): RawBuilder<{ count: number }> {
  return sql<{ count: number }>`
    select count(*) as count from (
      select from (${merged(rangesOf(shape, keys), sql`i.id`, MAX_TOTAL + 1)}) i limit ${sql.lit(MAX_TOTAL + 1)}
    ) counted
  `;
}

/**
 * The first `most` items of each range. Each is ordered by itself, so that it is read from its index; limits are written out,
 * since the planner takes one that it does not know for a tenth of the table.
 */
function merged(
  ranges: readonly Condition[],
  columns: RawBuilder<unknown>,
  most: number,
): RawBuilder<unknown> {
  const parts = ranges.map(
    (range) => sql`(
      select ${columns} from notification_items i where ${range}
      order by i.occurred_at desc, i.id desc limit ${sql.lit(most)})`,
  );
  return sql.join(parts, sql` union all `);
}

/**
 * The items that a reader sees through a filter, as ranges of one index each: by device, by owner (and broadcasts, which have
 * none), by code and type of device, or all of the organization.
 */
function rangesOf(shape: ListShape, keys: ListKeys): Condition[] {
  const always = [
    sql<SqlBool>`i.org_id = ${keys.orgId}`,
    ...conditionsOf(shape, keys),
    ...(shape.hasFrom ? [sql<SqlBool>`i.occurred_at >= ${keys.from}`] : []),
    ...(shape.hasTo ? [sql<SqlBool>`i.occurred_at <= ${keys.to}`] : []),
  ];
  const range = (...conditions: readonly Condition[]): Condition =>
    sql<SqlBool>`${sql.join([...always, ...conditions], sql` and `)}`;
  const isOwned = shape.hasOwner ? [sql<SqlBool>`i.owner_id = ${keys.ownerId}`] : [];
  const isOfType = shape.hasType ? [sql<SqlBool>`i.device_type = ${keys.deviceType}`] : [];
  const hasCode = shape.hasCodes ? [sql<SqlBool>`i.code = any(${keys.codes}::text[])`] : [];
  switch (shape.by) {
    case 'device':
      return [range(sql<SqlBool>`i.device_id = ${keys.deviceId}`, ...isOwned, ...isOfType, ...hasCode)];
    case 'codes and types': {
      const types = shape.hasType
        ? isOfType
        : DEVICE_TYPES.map((type) => sql<SqlBool>`i.device_type = ${sql.lit(type)}`);
      return shape.codes.flatMap((code) =>
        types.map((isType) => range(sql<SqlBool>`i.code = ${sql.lit(code)}`, isType)),
      );
    }
    case 'owner': {
      // Broadcasts have neither a device nor a code.
      const isBroadcast = sql<SqlBool>`i.owner_id is null`;
      const withBroadcasts = shape.hasBroadcasts && !shape.hasCodes && !shape.hasType;
      return [range(...isOwned, ...isOfType, ...hasCode), ...(withBroadcasts ? [range(isBroadcast)] : [])];
    }
    case 'organization':
      return [shape.hasBroadcasts ? range() : range(sql<SqlBool>`i.owner_id is not null`)];
  }
}

function conditionsOf({ list }: ListShape, keys: ListKeys): readonly Condition[] {
  if (list === 'information') return [IS_INFORMATION, hasReader(keys)];
  return [IS_PENDING, sql<SqlBool>`(i.owner_id is not null or not ${isDismissedBy(keys)})`];
}

/* A single value in place of `exists`: the planner reads one row for each item by its key, and never the table into a hash. */
function isDismissedBy({ orgId, readerId }: ItemScope): Condition {
  return sql<SqlBool>`((
    select b.item_id from broadcast_dismissals b
    where b.org_id = ${orgId} and b.item_id = i.id and b.user_id = ${readerId}) is not null)`;
}
