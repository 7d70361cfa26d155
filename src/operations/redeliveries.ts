import { checkStored } from '../accounts/quotas.ts';
import { inTransaction } from '../queries/connection/in-transaction.ts';
import { countRedeliverable, requeueExhausted } from '../queries/deliveries/redeliveries.ts';
import type { RedeliveryRun } from '../queries/deliveries/redeliveries.ts';
import { reannounceMessages } from '../queries/notifications/events.ts';
import { quotaScope } from './context.ts';
import type { Context } from './context.ts';
import { checkWebhookExists } from './webhooks.ts';

export { MOST_COUNTED } from '../queries/deliveries/redeliveries.ts';

/** Deliveries of one transaction: it holds the webhook's row for so long. */
const BATCH = 500;

type Run = Omit<RedeliveryRun, 'orgId'>;

/** How many deliveries a run has left. 404 when the webhook is not there. */
export async function countRedeliveries(context: Context, run: Run): Promise<number> {
  await checkWebhookExists(context, { webhook_id: run.webhookId });
  return countRedeliverable(context.db, { ...run, orgId: context.orgId });
}

/**
 * Sends the next batch of a run again, the oldest first; how many these were. A delivery is in a run once, however often the call is
 * repeated. 422 `quota_reached` when more would be pending than may be.
 */
export async function redeliverBatch(context: Context, run: Run): Promise<number> {
  const { db, orgId, now } = context;
  await checkWebhookExists(context, { webhook_id: run.webhookId });
  const count = await inTransaction(db, async (tx) => {
    const ids = await requeueExhausted(tx, { ...run, orgId }, BATCH, now);
    if (ids.length === 0) return 0;
    await checkStored(tx, quotaScope(context), 'pending_deliveries', ids.length);
    await reannounceMessages(tx, orgId, ids);
    return ids.length;
  });
  if (count > 0) context.wakeDispatcher([orgId]);
  return count;
}
