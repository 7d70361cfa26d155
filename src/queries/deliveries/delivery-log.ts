import { sql } from 'kysely';
import type { AttemptPhases } from '../../domain/notifications/attempt-phases.ts';
import type { CursorPosition } from '../../domain/api/cursor.ts';
import { MAX_PAGE_LIMIT, MAX_SHOWN_ATTEMPTS } from '../../domain/api/page-links.ts';
import { dueAtOnce } from './deliveries.ts';
import type { CancelReason } from './deliveries.ts';
import { ADDING_SHARD, addToPendingCounts } from './pending-counts.ts';
import type { Db, Tx } from '../connection/database.ts';
import { prepare, prepareShapes } from '../connection/prepared.ts';

/** A delivery as the log of its webhook shows it. */
export interface LoggedDelivery {
  readonly message_id: string;
  readonly message_type: string;
  readonly state: 'pending' | 'delivered' | 'exhausted' | 'cancelled';
  readonly attempts: number;
  readonly created_at: Date;
  readonly due_at: Date;
  readonly finished_at: Date | null;
  readonly cancel_reason: CancelReason | null;
}

export interface LoggedAttempt {
  readonly attempt: number;
  readonly started_at: Date;
  readonly duration_ms: number;
  readonly outcome: 'delivered' | 'failed';
  readonly error_class: string | null;
  readonly status_code: number | null;
  readonly detail: string | null;
  readonly address: string | null;
  readonly secret_version: number;
  readonly request_id: string | null;
}

interface LogKey {
  readonly orgId: string;
  readonly webhookId: string;
}

interface DeliveryKey extends LogKey {
  readonly messageId: string;
}

const columns = sql`d.message_id, m.message_type, d.state, d.attempts, d.created_at, d.due_at,
  d.finished_at, d.cancel_reason`;
const messageOf = (orgId: string) => sql`m.org_id = ${orgId} and m.id = d.message_id`;

/** A page, and the row that tells whether there is another one. */
const MOST_ROWS = MAX_PAGE_LIMIT + 1;

/** At most `limit` of a webhook's deliveries behind `after`, newest first. `limit`: up to MAX_PAGE_LIMIT + 1. */
export function listDeliveries(
  db: Db,
  key: LogKey,
  { after, limit }: { readonly after: CursorPosition | undefined; readonly limit: number },
): Promise<LoggedDelivery[]> {
  const keys = { ...key, limit, createdAt: after?.createdAt, afterId: after?.id };
  return selectPage({ isFirst: after === undefined })(db, keys);
}

interface PageKeys extends LogKey {
  readonly limit: number;
  readonly createdAt: Date | undefined;
  readonly afterId: string | undefined;
}

const selectPage = prepareShapes(
  (
    _db,
    { isFirst }: { readonly isFirst: boolean },
    { orgId, webhookId, limit, createdAt, afterId }: PageKeys,
  ) => {
    const isBehind = isFirst
      ? sql`true`
      : sql`(created_at, message_id) < (${createdAt}::timestamptz, ${afterId}::uuid)`;
    return sql<LoggedDelivery>`
      select ${columns}
      from (
        select org_id, message_id, state, attempts, created_at, due_at, finished_at, cancel_reason from deliveries
        where org_id = ${orgId} and webhook_id = ${webhookId} and ${isBehind}
        order by created_at desc, message_id desc
        limit ${sql.lit(MOST_ROWS)}
      ) d join messages m on ${messageOf(orgId)}
      order by d.created_at desc, d.message_id desc
      limit ${limit}
    `;
  },
);

/** A delivery by its message and webhook, in any state. */
export async function findDelivery(db: Db | Tx, key: DeliveryKey): Promise<LoggedDelivery | undefined> {
  const [delivery] = await selectDelivery(db, key);
  return delivery;
}

const selectDelivery = prepare(
  (_db, { orgId, webhookId, messageId }: DeliveryKey) => sql<LoggedDelivery>`
    select ${columns} from deliveries d join messages m on ${messageOf(orgId)}
    where d.org_id = ${orgId} and d.webhook_id = ${webhookId} and d.message_id = ${messageId}
  `,
);

/** The body of a message, byte for byte. */
export async function findPayload(db: Db, orgId: string, messageId: string): Promise<Buffer | undefined> {
  const [message] = await selectPayload(db, { orgId, messageId });
  return message?.payload;
}

const selectPayload = prepare(
  (_db, { orgId, messageId }: { readonly orgId: string; readonly messageId: string }) =>
    sql<{
      payload: Buffer;
    }>`select payload from messages where org_id = ${orgId} and id = ${messageId}`,
);

/** The newest attempts of a delivery that have ended, up to MAX_SHOWN_ATTEMPTS, the oldest of them first. */
export function listDeliveryAttempts(db: Db, key: DeliveryKey): Promise<LoggedAttempt[]> {
  return selectAttempts(db, key);
}

const selectAttempts = prepare(
  (_db, { orgId, webhookId, messageId }: DeliveryKey) => sql<LoggedAttempt>`
    select * from (
      select attempt, started_at, duration_ms, outcome, error_class, status_code, detail, address, secret_version,
        request_id
      from delivery_attempts
      where org_id = ${orgId} and message_id = ${messageId} and webhook_id = ${webhookId}
      order by attempt desc
      limit ${sql.lit(MAX_SHOWN_ATTEMPTS)}
    ) newest
    order by attempt
  `,
);

/** Where the time of each of these attempts went, by its number. */
export async function readAttemptPhases(
  db: Db,
  key: DeliveryKey,
): Promise<ReadonlyMap<number, AttemptPhases>> {
  const rows = await selectPhases(db, key);
  return new Map(rows.map(({ attempt, ...phases }) => [attempt, withoutNulls(phases)]));
}

type PhaseRow = { readonly attempt: number } & Readonly<Record<keyof AttemptPhases, number | null>>;

const selectPhases = prepare(
  (_db, { orgId, webhookId, messageId }: DeliveryKey) => sql<PhaseRow>`
    select attempt, lookup_ms as "lookupMs", connect_ms as "connectMs", tls_ms as "tlsMs", answer_ms as "answerMs"
    from delivery_attempts
    where org_id = ${orgId} and message_id = ${messageId} and webhook_id = ${webhookId}
    order by attempt desc
    limit ${sql.lit(MAX_SHOWN_ATTEMPTS)}
  `,
);

function withoutNulls(phases: Omit<PhaseRow, 'attempt'>): AttemptPhases {
  return Object.fromEntries(Object.entries(phases).filter(([, ms]) => ms !== null));
}

/**
 * Makes a finished delivery due again; its attempts stay. Undefined when it is neither delivered nor exhausted, or when
 * the webhook is disabled or not subscribed. The webhook is locked in share mode first, as `insertMessageWithDeliveries`
 * does, so that a concurrent disable waits and then cancels the delivery, and the message next, so that no removal of old ones takes it.
 */
export async function requeueDelivery(
  tx: Tx,
  { orgId, webhookId, messageId }: DeliveryKey,
  now: Date,
  requestId: string | null = null,
): Promise<LoggedDelivery | undefined> {
  const { rows } = await sql<LoggedDelivery>`
    with wanting as (
      select org_id, id, topics from webhooks
      where org_id = ${orgId} and id = ${webhookId} and enabled and deleted_at is null
      for share
    ), m as (
      select m.id, m.message_type
      from wanting w join messages m on m.org_id = ${orgId} and m.id = ${messageId} and w.topics @> array[m.message_type]
      for key share of m
    ), requeued as (
      update deliveries d
      set state = 'pending', due_at = ${dueAtOnce(now)}, finished_at = null, request_id = ${requestId}
      from m
      where d.org_id = ${orgId} and d.webhook_id = ${webhookId} and d.message_id = m.id
        and d.state in ('delivered', 'exhausted')
      returning ${columns}
    )
    select message_id, message_type, state, attempts, created_at, due_at, finished_at, cancel_reason from requeued
  `.execute(tx);
  await addToPendingCounts(tx, orgId, ADDING_SHARD, rows.length);
  return rows[0];
}
