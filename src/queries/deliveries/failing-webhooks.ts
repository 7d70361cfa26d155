import { sql } from 'kysely';
import { FAILING_FROM } from '../../domain/notifications/failing-webhook.ts';
import type { FailingWebhook } from '../../domain/notifications/failing-webhook.ts';
import type { Db } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';
import { webhooksOf } from './recent-deliveries.ts';

/** The newest deliveries of a webhook that are looked through for some that were tried, and how many of these are looked at. */
const MOST_SOUGHT = 500;
const MOST_TRIED = 10;
/** The newest attempts of each of them: one that is sent again and again has any number. */
const MOST_ATTEMPTS_OF_EACH = 100;

/**
 * Those of the organization's webhooks of which the latest attempts have all failed, among the ones with these ids, a page of them at most,
 * or among its 50 oldest where none are named.
 */
export function listFailingWebhooks(
  db: Db,
  orgId: string,
  webhookIds: readonly string[] | null = null,
): Promise<FailingWebhook[]> {
  return selectFailing(db, { orgId, webhookIds });
}

/** The same of several organizations, by organization; those without any are left out. Costs a query for each that has a webhook. */
export async function listFailingWebhooksOf(
  db: Db,
  orgIds: readonly string[],
): Promise<ReadonlyMap<string, readonly FailingWebhook[]>> {
  if (orgIds.length === 0) return new Map();
  const { rows } = await sql<{ org_id: string }>`
    select distinct org_id from webhooks
    where org_id = any(${orgIds}::uuid[]) and enabled and deleted_at is null
  `.execute(db);
  const failing = new Map<string, readonly FailingWebhook[]>();
  for (const { org_id: orgId } of rows) {
    const own = await listFailingWebhooks(db, orgId);
    if (own.length > 0) failing.set(orgId, own);
  }
  return failing;
}

interface FailingKeys {
  readonly orgId: string;
  readonly webhookIds: readonly string[] | null;
}

const selectFailing = prepare(
  (_db, { orgId, webhookIds }: FailingKeys) => sql<FailingWebhook>`
    select w.id as "webhookId", w.url, f.* from (${webhooksOf(orgId, webhookIds)}) w cross join lateral (
      select count(*)::integer as attempts, min(started_at) as since,
        (array_agg(error_class order by started_at desc))[1] as "errorClass",
        (array_agg(status_code order by started_at desc))[1] as "statusCode"
      from (
        select a.*, bool_or(a.outcome = 'delivered') over (order by a.started_at desc, a.attempt desc) as "isBefore"
        from (${triedOf(orgId)}) d cross join lateral (
          select attempt, started_at, outcome, error_class, status_code from delivery_attempts
          where org_id = ${orgId} and message_id = d.message_id and webhook_id = w.id
          order by attempt desc
          limit ${sql.lit(MOST_ATTEMPTS_OF_EACH)}
        ) a
      ) latest
      where not "isBefore"
    ) f
    where w.enabled and f.attempts >= ${sql.lit(FAILING_FROM)}
    order by f.since
  `,
);

/** The newest deliveries of the webhook `w` that were tried. */
const triedOf = (orgId: string) => sql`
  select message_id from (
    select message_id, attempts, created_at from deliveries
    where org_id = ${orgId} and webhook_id = w.id
    order by created_at desc, message_id desc
    limit ${sql.lit(MOST_SOUGHT)}
  ) newest
  where attempts > 0
  order by created_at desc, message_id desc
  limit ${sql.lit(MOST_TRIED)}`;
