import { sql } from 'kysely';
import type { RawBuilder, SqlBool } from 'kysely';
import type { CursorPosition } from '../../domain/api/cursor.ts';
import type {
  DeliveryFilter,
  DeliveryState,
  FoundDeliveries,
  FoundDelivery,
} from '../../domain/notifications/delivery-filter.ts';
import type { Db } from '../connection/database.ts';
import { prepareShapes } from '../connection/prepared.ts';

/** Deliveries on a page. */
export const FOUND_ON_PAGE = 50;
/** Deliveries that a page looks through for those that are meant: what it costs does not grow with what was sent. */
export const MOST_LOOKED_THROUGH = 10_000;

interface LogKey {
  readonly orgId: string;
  readonly webhookId: string;
}

/**
 * What the statement depends on beside values. Pending, exhausted and cancelled ones are found by indexes of their own; delivered
 * ones are most of the log, and are looked for in it.
 */
interface Shape {
  readonly state: DeliveryState | undefined;
  readonly hasTopic: boolean;
  readonly hasSince: boolean;
  readonly hasUntil: boolean;
  readonly hasMessage: boolean;
  readonly isFirst: boolean;
}

type Keys = LogKey & Omit<DeliveryFilter, 'state'> & { readonly createdAt?: Date; readonly afterId?: string };

/** At most 50 of a webhook's deliveries behind `after` that the filter lets through, newest first. */
export async function findDeliveries(
  db: Db,
  key: LogKey,
  filter: DeliveryFilter,
  after: CursorPosition | undefined,
): Promise<FoundDeliveries> {
  const shape = shapeOf(filter, after === undefined);
  const position = after === undefined ? {} : { createdAt: after.createdAt, afterId: after.id };
  const { orgId, webhookId } = key;
  const { topic, since, until, messageId } = filter;
  const keys = { orgId, webhookId, topic, since, until, messageId, ...position };
  const rows = await selectFound(shape)(db, keys);
  const items = rows.slice(0, FOUND_ON_PAGE);
  const last = items.at(-1);
  if (rows.length > FOUND_ON_PAGE && last !== undefined)
    return { items, next: { createdAt: last.createdAt, id: last.messageId }, isCutOff: false };
  const [end] = isLookedFor(shape) ? await selectEnd(shape)(db, keys) : [];
  return { items, next: end, isCutOff: end !== undefined };
}

function shapeOf({ state, topic, since, until, messageId }: DeliveryFilter, isFirst: boolean): Shape {
  return {
    state,
    hasTopic: topic !== undefined,
    hasSince: since !== undefined,
    hasUntil: until !== undefined,
    hasMessage: messageId !== undefined,
    isFirst,
  };
}

/** Whether rows are passed over. */
function isLookedFor({ state, hasTopic, hasMessage }: Shape): boolean {
  return !hasMessage && (hasTopic || state === 'delivered');
}

const selectFound = prepareShapes(
  (_db, shape: Shape, keys: Keys) => sql<FoundDelivery>`
    select d.message_id as "messageId", m.message_type as topic, d.state, d.attempts, d.created_at as "createdAt",
      d.due_at as "dueAt", d.finished_at as "finishedAt", d.cancel_reason as "cancelReason"
    from (${lookedThrough(shape, keys)}) d join messages m on m.org_id = ${keys.orgId} and m.id = d.message_id
    where ${shape.hasTopic ? sql`m.message_type = ${keys.topic}` : sql`true`}
      and ${shape.state === 'delivered' ? sql`d.state = 'delivered'` : sql`true`}
    order by d.created_at desc, d.message_id desc
    limit ${sql.lit(FOUND_ON_PAGE + 1)}
  `,
);

/** The last delivery that a page may look through, where there are so many. */
const selectEnd = prepareShapes(
  (_db, shape: Shape, keys: Keys) => sql<CursorPosition>`
    select d.created_at as "createdAt", d.message_id as id
    from (${lookedThrough(shape, keys)}) d
    order by d.created_at desc, d.message_id desc
    offset ${sql.lit(MOST_LOOKED_THROUGH - 1)} limit 1
  `,
);

function lookedThrough(shape: Shape, keys: Keys): RawBuilder<unknown> {
  const { state, hasSince, hasUntil, hasMessage, isFirst } = shape;
  const conditions = [
    sql<SqlBool>`org_id = ${keys.orgId}`,
    sql<SqlBool>`webhook_id = ${keys.webhookId}`,
    ...(state === undefined || state === 'delivered' ? [] : [sql<SqlBool>`state = ${sql.lit(state)}`]),
    ...(hasSince ? [sql<SqlBool>`created_at >= ${keys.since}`] : []),
    ...(hasUntil ? [sql<SqlBool>`created_at < ${keys.until}`] : []),
    ...(hasMessage ? [sql<SqlBool>`message_id = ${keys.messageId}`] : []),
    ...(isFirst
      ? []
      : [sql<SqlBool>`(created_at, message_id) < (${keys.createdAt}::timestamptz, ${keys.afterId}::uuid)`]),
  ];
  return sql`
    select org_id, message_id, state, attempts, created_at, due_at, finished_at, cancel_reason from deliveries
    where ${sql.join(conditions, sql` and `)}
    order by created_at desc, message_id desc
    limit ${sql.lit(MOST_LOOKED_THROUGH)}`;
}
