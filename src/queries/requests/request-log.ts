import { sql } from 'kysely';
import type { RawBuilder, SqlBool } from 'kysely';
import type {
  ListedRequest,
  LoggedRequest,
  RefusalCount,
  RequestFilter,
  RequestPosition,
  UnloggedRequests,
} from '../../domain/requests/logged-request.ts';
import type { Db } from '../connection/database.ts';
import { deleteBatch } from '../connection/delete-batch.ts';
import { unnestRows } from '../connection/rows.ts';

/** Adds requests, and what was not logged beside them, by one statement; those of an organization that is gone are left out. */
export async function insertRequests(
  db: Db,
  requests: readonly LoggedRequest[],
  unlogged: readonly UnloggedRequests[],
): Promise<void> {
  await sql`
    with logged as (
      insert into logged_requests (org_id, sent_at, id, request_id, operation, method, path, status, duration_ms,
        user_id, application_id, code, errors, body)
      select rows.* from ${unnestRows<LoggedRequest>(requests, REQUEST_TYPES)}
      where exists (select from organizations o where o.id = rows."orgId")
    )
    insert into unlogged_requests as known (org_id, minute, count)
    select rows.* from ${unnestRows<UnloggedRequests>(unlogged, { orgId: 'uuid', minute: 'timestamptz', count: 'bigint' })}
    where exists (select from organizations o where o.id = rows."orgId")
    on conflict on constraint unlogged_requests_pkey do update set count = known.count + excluded.count`.execute(
    db,
  );
}

const REQUEST_TYPES = {
  orgId: 'uuid',
  sentAt: 'timestamptz',
  id: 'uuid',
  requestId: 'text',
  operation: 'text',
  method: 'text',
  path: 'text',
  status: 'smallint',
  durationMs: 'integer',
  userId: 'uuid',
  applicationId: 'uuid',
  code: 'text',
  errors: 'jsonb',
  body: 'text',
} as const;

/** The latest requests, from a position on. */
export async function listRequests(
  db: Db,
  orgId: string,
  filter: RequestFilter,
  { limit, before }: { readonly limit: number; readonly before?: RequestPosition | undefined },
): Promise<readonly ListedRequest[]> {
  const { rows } = await sql<ListedRequest>`
    ${selectRequests(sql`where ${sql.join(conditionsOf(orgId, filter, before), sql` and `)}
      order by sent_at desc, id desc limit ${sql.lit(limit)}`)}
    order by r.sent_at desc, r.id desc`.execute(db);
  return rows;
}

export async function findLoggedRequest(
  db: Db,
  orgId: string,
  { sentAt, id }: RequestPosition,
): Promise<ListedRequest | undefined> {
  const { rows } = await sql<ListedRequest>`
    ${selectRequests(sql`where org_id = ${orgId} and sent_at = ${sentAt} and id = ${id}`)}`.execute(db);
  return rows[0];
}

/** The names are looked up for the page alone. */
function selectRequests(chosen: RawBuilder<unknown>): RawBuilder<ListedRequest> {
  return sql<ListedRequest>`
    select r.org_id as "orgId", r.sent_at as "sentAt", r.id, r.request_id as "requestId", r.operation, r.method, r.path,
      r.status, r.duration_ms as "durationMs", r.user_id as "userId", r.application_id as "applicationId", r.code,
      r.errors, r.body, a.name as "applicationName", u.email
    from (select * from logged_requests ${chosen}) r
    left join applications a on a.org_id = r.org_id and a.id = r.application_id
    left join users u on u.org_id = r.org_id and u.id = r.user_id`;
}

function conditionsOf(
  orgId: string,
  { isRefused = false, operation, requestId, since, until }: RequestFilter,
  before: RequestPosition | undefined,
): readonly RawBuilder<SqlBool>[] {
  return [
    sql<SqlBool>`org_id = ${orgId}`,
    ...(isRefused ? [sql<SqlBool>`status >= 400`] : []),
    ...(operation === undefined ? [] : [sql<SqlBool>`operation = ${operation}`]),
    ...(requestId === undefined ? [] : [sql<SqlBool>`request_id = ${requestId}`]),
    ...(since === undefined ? [] : [sql<SqlBool>`sent_at >= ${since}`]),
    ...(until === undefined ? [] : [sql<SqlBool>`sent_at < ${until}`]),
    ...(before === undefined ? [] : [sql<SqlBool>`(sent_at, id) < (${before.sentAt}, ${before.id}::uuid)`]),
  ];
}

/** Of the last `most` refusals since an instant, the most frequent first. */
export async function countRefusals(
  db: Db,
  orgId: string,
  since: Date,
  most: number,
): Promise<readonly RefusalCount[]> {
  const { rows } = await sql<RefusalCount>`
    select code, operation, count(*) as count, max(sent_at) as "lastAt"
    from (
      select code, operation, sent_at from logged_requests
      where org_id = ${orgId} and status >= 400 and sent_at >= ${since}
      order by sent_at desc, id desc limit ${sql.lit(most)}) latest
    group by code, operation
    order by count(*) desc, max(sent_at) desc
    limit 20`.execute(db);
  return rows;
}

/** How many requests since an instant were not logged. */
export async function countUnlogged(db: Db, orgId: string, since: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(count), 0)::float8 as count from unlogged_requests
    where org_id = ${orgId} and minute >= ${since}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Deletes at most `limit` requests that were sent before an instant; resolves to their number. */
export async function deleteRequestsSentBefore(db: Db, instant: Date, limit: number): Promise<number> {
  return deleteBatch(db, 'logged_requests', sql`where sent_at < ${instant} order by sent_at`, limit);
}

/** The same for what was not logged. */
export async function deleteUnloggedBefore(db: Db, instant: Date, limit: number): Promise<number> {
  return deleteBatch(db, 'unlogged_requests', sql`where minute < ${instant} order by minute`, limit);
}
