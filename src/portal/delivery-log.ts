import type { Request } from 'express';
import { decodeCursor, encodeCursor } from '../domain/api/cursor.ts';
import type { FoundDeliveries, FoundDelivery } from '../domain/notifications/delivery-filter.ts';
import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { describeFilterFields, parseFilter, readFilterQuery } from './delivery-filter-form.ts';
import type { FilterQuery } from './delivery-filter-form.ts';
import { isRedeliverable, markState } from './delivery-states.ts';
import { readQueryParameter } from './forms.ts';
import { describeLive, nameCells } from './live.ts';
import { hostOf } from './need.ts';
import { WEBHOOKS_PATH } from './paths.ts';
import { getScope } from './shell.ts';
import { formatAgo, formatMinute, formatCount } from './times.ts';
import { webhookApiPath, webhookPath, withWebhook } from './webhook-operations.ts';
import type { Webhook } from './webhook-operations.ts';
import type { Scope } from './scopes.ts';
import { toShortTopic } from './words.ts';

/** What stands before a message's id in the name of the field that chooses it. */
export const MARK_PREFIX = 'message:';

const COLUMNS = [
  { label: 'Message', kind: 'wide' },
  { label: 'State', speaksForItself: true },
  { label: 'Topic' },
  { label: 'Attempts', kind: 'number' },
  { label: 'Queued', kind: 'quiet' },
];

/** The deliveries of a webhook that the filter of the address lets through, newest first, page by page. */
export const showDeliveryLog = withWebhook((context, request, response, webhook) =>
  sendDeliveryLog(context, request, response, webhook),
);

async function sendDeliveryLog(
  context: PortalContext,
  request: Request,
  response: PortalResponse,
  webhook: Webhook,
): Promise<void> {
  const scope = getScope(response);
  const query = readFilterQuery(request);
  const { filter, errors } = parseFilter(query);
  const isFaulty = Object.keys(errors).length > 0;
  const after = decodeCursor(readQueryParameter(request, 'after') ?? '');
  const found: FoundDeliveries = isFaulty
    ? { items: [], next: undefined, isCutOff: false }
    : await context.reads.findDeliveries({ orgId: scope.orgId, webhookId: webhook.id }, filter, after);
  const now = context.clock();
  const path = webhookPath(scope, webhook.id, 'deliveries/', query);
  sendView(response, isFaulty ? 422 : 200, 'deliveries', {
    heading: 'Deliveries',
    sentence: `What was to be sent to ${hostOf(webhook.url)}, newest first. Messages are kept for 30 days unless the operator has set it otherwise, and as long as they are pending.`,
    action: path,
    filterAction: `${WEBHOOKS_PATH}${webhook.id}/deliveries/`,
    org: scope.kind === 'own' ? undefined : scope.orgId,
    fields: describeFilterFields(query, errors),
    isFiltered: Object.keys(query).length > 0,
    isFaulty,
    all: webhookPath(scope, webhook.id, 'deliveries/'),
    deliveries: {
      columns: COLUMNS,
      rows: found.items.map((delivery) =>
        nameCells(delivery.messageId, toRow(scope, webhook, delivery, now)),
      ),
    },
    live: describeLive(response, now, {
      isUnderWay: found.items.some(({ state }) => state === 'pending'),
    }),
    canRedeliver: webhook.enabled && found.items.some(({ state }) => isRedeliverable(state)),
    redelivered: describeRedelivered(request),
    more: toNextPage(scope, webhook, query, found),
    webhookPath: webhookPath(scope, webhook.id),
    redeliverPath: webhookPath(scope, webhook.id, 'redeliver/'),
    call: formatApiCall(context.baseUrl, {
      method: 'GET',
      path: webhookApiPath(scope, webhook.id, '/deliveries'),
    }),
  });
}

function toRow(scope: Scope, { id, enabled }: Webhook, delivery: FoundDelivery, now: Date) {
  const { messageId, topic, state, attempts, createdAt } = delivery;
  return [
    {
      text: messageId,
      href: webhookPath(scope, id, `deliveries/${messageId}/`),
      ...(enabled && isRedeliverable(state)
        ? { check: { name: `${MARK_PREFIX}${messageId}`, label: `Choose ${messageId}` } }
        : {}),
    },
    { status: markState(state, attempts) },
    { text: toShortTopic(topic) },
    { text: formatCount(attempts) },
    { text: formatAgo(createdAt, now), at: createdAt.toISOString() },
  ];
}

/** The next page, and what to call it where the search has looked through as much as a page may. */
function toNextPage(scope: Scope, { id }: Webhook, query: FilterQuery, { next, isCutOff }: FoundDeliveries) {
  if (next === undefined) return undefined;
  return {
    href: webhookPath(scope, id, 'deliveries/', { ...query, after: encodeCursor(next) }),
    label: isCutOff ? `Look further back than ${formatMinute(next.createdAt)} UTC` : 'Older deliveries',
  };
}

/** What came of those that were chosen to be sent again. */
function describeRedelivered(request: Request) {
  const count = (name: string): number | undefined => {
    const text = readQueryParameter(request, name) ?? '';
    return /^\d{1,2}$/.test(text) ? Number(text) : undefined;
  };
  const [sent, refused] = [count('sent'), count('refused')];
  if (sent === undefined || refused === undefined) return undefined;
  if (sent + refused === 0) return { kind: 'warning', text: 'Nothing was chosen.' };
  return {
    kind: refused === 0 ? 'ok' : 'warning',
    text: `${sent} sent again.${refused === 0 ? '' : ` ${refused} could not be: pending already, dropped, or not subscribed any more.`}`,
  };
}
