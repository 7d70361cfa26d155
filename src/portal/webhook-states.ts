import type { FailingWebhook } from '../domain/notifications/failing-webhook.ts';
import { describeCause } from './failure-causes.ts';
import type { Webhook } from './webhook-operations.ts';

/** How a webhook stands, as a cell: icon and word, and of one that is failing the cause. */
export function toStateCell({ id, enabled, topics }: Webhook, failing: readonly FailingWebhook[]) {
  if (!enabled) return { status: { kind: 'neutral', word: 'Disabled' } };
  const own = failing.find(({ webhookId }) => webhookId === id);
  if (own !== undefined)
    return {
      status: { kind: 'error', word: 'Failing' },
      detail: describeCause(own.errorClass, own.statusCode).title,
    };
  if (topics.length === 0) return { status: { kind: 'warning', word: 'No topic' } };
  return { status: { kind: 'ok', word: 'Enabled' } };
}
