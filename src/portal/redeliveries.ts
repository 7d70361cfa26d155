import { Problem } from '../domain/api/problem.ts';
import { isUuid } from '../domain/api/formats.ts';
import { redeliver } from '../operations/deliveries.ts';
import { logChange } from './change-log.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { readFilterQuery } from './delivery-filter-form.ts';
import { MARK_PREFIX } from './delivery-log.ts';
import { sendDelivery, withDelivery } from './delivery-page.ts';
import { toOperationContext } from './operations.ts';
import { redirectAfterForm, redirectWithNotice } from './pages.ts';
import { getScope } from './shell.ts';
import { webhookPath, withWebhook } from './webhook-operations.ts';

/** As many as a page of the log has. */
const MOST_CHOSEN = 50;

/** Sends one delivery again: 303 to its page, or 409 and 422 with the reason. */
export const redeliverOne: PageHandler = withDelivery(async (context, _request, response, shown) => {
  const { webhook, delivery } = shown;
  const refusal = await tryToRedeliver(context, response, webhook.id, delivery.message_id);
  if (refusal !== undefined) {
    const status = refusal.code === 'quota_reached' ? 422 : 409;
    await sendDelivery(context, response, shown, { status, refusal: refusal.message });
    return;
  }
  logChange(context, response, 'Message redelivered.', { id: delivery.message_id });
  const path = webhookPath(getScope(response), webhook.id, `deliveries/${delivery.message_id}/`);
  redirectWithNotice(response, path, 'redelivered');
});

/** Sends those again that were chosen in the log: 303 to the same page of it, which says how many. */
export const redeliverChosen = withWebhook(async (context, request, response, webhook) => {
  let [sent, refused] = [0, 0];
  for (const id of listChosen(request.body)) {
    const refusal = await tryToRedeliver(context, response, webhook.id, id);
    if (refusal === undefined) sent += 1;
    else refused += 1;
  }
  if (sent > 0) logChange(context, response, 'Messages redelivered.', { id: webhook.id });
  const counts = { sent: String(sent), refused: String(refused) };
  const query = { ...readFilterQuery(request), ...counts };
  redirectAfterForm(response, webhookPath(getScope(response), webhook.id, 'deliveries/', query));
});

function listChosen(body: unknown): readonly string[] {
  return Object.keys(body ?? {})
    .filter((name) => name.startsWith(MARK_PREFIX))
    .map((name) => name.slice(MARK_PREFIX.length).toLowerCase())
    .filter(isUuid)
    .slice(0, MOST_CHOSEN);
}

/** Problems that concern the one delivery. */
const REFUSALS: ReadonlySet<Problem['code']> = new Set([
  'delivery_state_conflict',
  'not_found',
  'quota_reached',
]);

async function tryToRedeliver(
  context: PortalContext,
  response: PortalResponse,
  webhookId: string,
  messageId: string,
): Promise<Problem | undefined> {
  const operation = toOperationContext(context, response, 'redeliver');
  const path = { org_id: operation.orgId, webhook_id: webhookId, message_id: messageId };
  try {
    await redeliver(operation, { path, query: {}, headers: {}, body: undefined });
    return undefined;
  } catch (error) {
    if (error instanceof Problem && REFUSALS.has(error.code)) return error;
    throw error;
  }
}
