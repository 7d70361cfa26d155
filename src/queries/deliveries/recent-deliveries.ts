import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { PAGE_SIZE } from '../../domain/api/page-links.ts';
import type { DeliveryCount } from '../../domain/notifications/delivery-count.ts';
import type { Db } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

/** The newest deliveries of a webhook that are counted: what a count costs does not grow with what was sent. */
const MOST_DELIVERIES = 500;
/** Deliveries of a webhook that are looked through for one that has arrived. */
const MOST_SOUGHT = 100;

/**
 * Counts the deliveries since an instant, by periods of this length: of the organization's webhooks with these ids, a page of them at most,
 * or of its 50 oldest where none are named.
 */
export function countDeliveriesSince(
  db: Db,
  orgId: string,
  since: Date,
  periodSeconds: number,
  webhookIds: readonly string[] | null = null,
): Promise<DeliveryCount[]> {
  return selectCounts(db, { orgId, since, periodSeconds, webhookIds });
}

interface CountKeys {
  readonly orgId: string;
  readonly since: Date;
  readonly periodSeconds: number;
  readonly webhookIds: readonly string[] | null;
}

const selectCounts = prepare(
  (_db, { orgId, since, periodSeconds, webhookIds }: CountKeys) => sql<DeliveryCount>`
    select w.id as "webhookId", w.url, d.state, d.period, count(*) as count,
      sum(count(*)) over (partition by w.id) >= ${sql.lit(MOST_DELIVERIES)} as "isCapped"
    from (${webhooksOf(orgId, webhookIds)}) w cross join lateral (
      select state, floor(extract(epoch from created_at - ${since}::timestamptz) / ${periodSeconds}::integer)::integer as period
      from deliveries
      where org_id = ${orgId} and webhook_id = w.id and created_at >= ${since}
      order by created_at desc, message_id desc
      limit ${sql.lit(MOST_DELIVERIES)}
    ) d
    group by w.id, w.url, d.state, d.period
  `,
);

/** Whether one of the newest deliveries of the organization's webhooks has arrived. */
export async function hasDelivered(db: Db, orgId: string): Promise<boolean> {
  const [row] = await selectDelivered(db, { orgId });
  return row !== undefined;
}

const selectDelivered = prepare(
  (_db, { orgId }: { readonly orgId: string }) => sql<{ state: string }>`
    select d.state from (${webhooksOf(orgId, null)}) w cross join lateral (
      select state from deliveries
      where org_id = ${orgId} and webhook_id = w.id
      order by created_at desc, message_id desc
      limit ${sql.lit(MOST_SOUGHT)}
    ) d
    where d.state = 'delivered'
    limit 1
  `,
);

/** A select of the organization's webhooks with these ids, or of all where none are named; the 50 oldest of them. */
export const webhooksOf = (orgId: string, webhookIds: readonly string[] | null): RawBuilder<unknown> => sql`
  select id, url, enabled from webhooks
  where org_id = ${orgId} and deleted_at is null
    and (${webhookIds}::uuid[] is null or id = any(${webhookIds}::uuid[]))
  order by created_at, id
  limit ${sql.lit(PAGE_SIZE)}`;
