import type { Request } from 'express';
import type { components } from '../../generated/openapi.ts';
import { isUuid } from '../domain/api/formats.ts';
import { listDeliveryHeaders } from '../domain/notifications/delivery-headers.ts';
import { measureRetriesLeftMs, MOST_ATTEMPTS } from '../domain/notifications/retry.ts';
import { getDelivery } from '../operations/deliveries.ts';
import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import { describeLeftOut, tabulateAttempts } from './delivery-attempts.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { describeDropReason, isRedeliverable, markState } from './delivery-states.ts';
import { readQueryParameter } from './forms.ts';
import { describeLive } from './live.ts';
import { toOperationContext } from './operations.ts';
import { findNoticeText, sendNotFound } from './pages.ts';
import { formatPayload } from './payloads.ts';
import { getScope } from './shell.ts';
import { countOf, formatAgo, formatMinute } from './times.ts';
import { findWebhook, webhookApiPath, webhookPath } from './webhook-operations.ts';
import type { Webhook } from './webhook-operations.ts';

/** A delivery with its attempts as the operations answer it. */
export type Delivery = components['schemas']['DeliveryWithAttempts'];

/** A delivery and the webhook that it is for. */
export interface ShownDelivery {
  readonly webhook: Webhook;
  readonly delivery: Delivery;
}

/** A page about the delivery that the path names by `:id` and `:message`; 404 for one that is not there. */
export function withDelivery(
  handle: (
    context: PortalContext,
    request: Request,
    response: PortalResponse,
    shown: ShownDelivery,
  ) => Promise<void>,
): PageHandler {
  return async (context, request, response) => {
    const webhook = await findWebhook(context, request, response);
    const messageId = String(request.params['message']).toLowerCase();
    if (webhook === undefined || !isUuid(messageId)) {
      sendNotFound(response);
      return;
    }
    const operation = toOperationContext(context, response, 'getDelivery');
    const path = { org_id: operation.orgId, webhook_id: webhook.id, message_id: messageId };
    const { body } = await getDelivery(operation, { path, query: {}, headers: {}, body: undefined });
    await handle(context, request, response, { webhook, delivery: body as Delivery });
  };
}

/** One delivery: what was sent, what was answered, and what comes next. */
export const showDelivery = withDelivery((context, request, response, shown) =>
  sendDelivery(context, response, shown, {
    status: 200,
    notice: findNoticeText(readQueryParameter(request, 'notice')),
  }),
);

interface DeliveryPage {
  readonly status: number;
  readonly notice?: string | undefined;
  /** Why it is not sent again. */
  readonly refusal?: string;
}

/** Answers with the page of a delivery. */
export async function sendDelivery(
  context: PortalContext,
  response: PortalResponse,
  { webhook, delivery }: ShownDelivery,
  { status, notice, refusal }: DeliveryPage,
): Promise<void> {
  const scope = getScope(response);
  const now = context.clock();
  const { message_id: id, message_type: topic, state, attempts } = delivery;
  const key = { orgId: scope.orgId, webhookId: webhook.id, messageId: id };
  const phases = await context.reads.readAttemptPhases(key);
  const payload = await context.reads.findPayload(scope.orgId, id);
  const path = webhookPath(scope, webhook.id, `deliveries/${id}/`);
  sendView(response, status, 'delivery', {
    heading: topic,
    sentence: describeVerdict(delivery, now),
    refusal,
    notice,
    state: markState(state, attempts),
    messageId: id,
    created: { text: formatAgo(new Date(delivery.created_at), now), at: delivery.created_at },
    address: webhook.url,
    attempts: tabulateAttempts(delivery.attempt_log, phases),
    leftOut: describeLeftOut(delivery.attempt_log.length, attempts),
    payload: payload === undefined ? undefined : formatPayload(payload),
    headers: listDeliveryHeaders(id),
    live: describeLive(response, now, { isUnderWay: state === 'pending' }),
    redeliver:
      webhook.enabled && isRedeliverable(state)
        ? webhookPath(scope, webhook.id, `deliveries/${id}/redeliver/`)
        : undefined,
    path,
    webhookPath: webhookPath(scope, webhook.id),
    logPath: webhookPath(scope, webhook.id, 'deliveries/'),
    call: formatApiCall(context.baseUrl, {
      method: 'GET',
      path: webhookApiPath(scope, webhook.id, `/deliveries/${id}`),
    }),
  });
}

/** What became of it, in a sentence. */
function describeVerdict(delivery: Delivery, now: Date): string {
  const tries = countOf(delivery.attempts, 'attempt');
  switch (delivery.state) {
    case 'delivered':
      return `It arrived${delivery.attempts > 1 ? ` at attempt ${delivery.attempts}` : ' at once'}.`;
    case 'exhausted':
      return `It was given up after ${tries}: none follows by itself. Once the endpoint works, send it again.`;
    case 'cancelled':
      return `It was dropped: ${describeDropReason(delivery.cancel_reason)}.`;
    case 'pending':
      return `${delivery.attempts === 0 ? 'No attempt has ended yet' : `${tries} failed`}; ${describeDue(delivery, now)}`;
    default:
      return delivery.state satisfies never;
  }
}

/** When the next attempt is made, and how long it goes on should that one fail too. */
function describeDue({ attempts, due_at: dueAt }: Delivery, now: Date): string {
  const due = new Date(dueAt ?? now);
  const next = due > now ? `the next one is due at ${formatMinute(due)} UTC.` : 'the next one is due now.';
  if (attempts + 1 >= MOST_ATTEMPTS) return `${next} It is the last one.`;
  const end = new Date(Math.max(due.getTime(), now.getTime()) + measureRetriesLeftMs(attempts));
  return `${next} While they fail, it is tried until about ${formatMinute(end)} UTC, ${MOST_ATTEMPTS} attempts at most.`;
}
