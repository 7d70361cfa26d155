import type { Tx } from '../connection/database.ts';
import type { CancelledDeliveries } from './deliveries.ts';
import { CANCEL_PIECE, cancelFirstUnwanted } from './unwanted-deliveries.ts';
import { lockWebhook, WEBHOOK_COLUMNS, type Webhook, type WebhookChange } from './webhooks.ts';

/** What became of a change. */
export interface ChangedWebhook {
  readonly webhook: Webhook;
  /** Undefined when the change made nothing unwanted. */
  readonly cancelled: CancelledDeliveries | undefined;
}

/**
 * Changes a webhook and cancels those of its pending deliveries that it no longer wants: all when it is disabled, those
 * of a removed topic otherwise; the dispatcher cancels those beyond the first 1,000. They are not sent when it is enabled again: until all
 * are cancelled, a change by which it would want more is `too_early`. Undefined when there is no such webhook.
 */
export async function updateWebhook(
  tx: Tx,
  orgId: string,
  id: string,
  change: WebhookChange,
  now: Date,
): Promise<ChangedWebhook | 'too_early' | undefined> {
  const before = await lockWebhook(tx, orgId, id);
  if (before === undefined) return undefined;
  const topics = change.topics ?? before.topics;
  const isEnabled = change.enabled ?? before.enabled;
  const wantsMore = (isEnabled && !before.enabled) || topics.some((topic) => !before.topics.includes(topic));
  if (wantsMore && before.cancelling_mark !== null) return 'too_early';
  const webhook = await tx
    .updateTable('webhooks')
    .set({ updated_at: now, enabled: isEnabled, topics: [...topics] })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(WEBHOOK_COLUMNS)
    .executeTakeFirstOrThrow();
  const kept: readonly string[] = topics;
  const wantsLess = (before.enabled && !isEnabled) || before.topics.some((topic) => !kept.includes(topic));
  const key = { orgId, webhookId: id };
  return { webhook, cancelled: wantsLess ? await cancelFirstUnwanted(tx, key, now) : undefined };
}

/**
 * Marks a webhook as deleted and cancels its pending deliveries, of which the dispatcher cancels those beyond the first `limit`;
 * undefined when there is none.
 */
export async function softDeleteWebhook(
  tx: Tx,
  orgId: string,
  id: string,
  now: Date,
  limit = CANCEL_PIECE,
): Promise<(CancelledDeliveries & { readonly seen: number }) | undefined> {
  const removed = await tx
    .updateTable('webhooks')
    .set({ deleted_at: now, updated_at: now })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (removed === undefined) return undefined;
  return cancelFirstUnwanted(tx, { orgId, webhookId: id }, now, limit);
}

/** The same for all webhooks of an organization, when it is removed: the first 1,000 are those of all of them. */
export async function softDeleteWebhooksOfOrganization(
  tx: Tx,
  orgId: string,
  now: Date,
): Promise<CancelledDeliveries> {
  const webhooks = await tx
    .selectFrom('webhooks')
    .select('id')
    .where('org_id', '=', orgId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    // All before the first of their deliveries is counted off: who changes one of them waits before it has counted.
    .forUpdate()
    .execute();
  let count = 0;
  let left = CANCEL_PIECE;
  for (const { id } of webhooks) {
    const cancelled = await softDeleteWebhook(tx, orgId, id, now, left);
    count += cancelled?.count ?? 0;
    left -= cancelled?.seen ?? 0;
  }
  return { reason: 'deleted', count };
}
