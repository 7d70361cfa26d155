import type { components } from '../../generated/openapi.ts';
import { DAY_MS } from '../domain/api/durations.ts';
import type { DeliveryCount } from '../domain/notifications/delivery-count.ts';
import type { FailingWebhook } from '../domain/notifications/failing-webhook.ts';
import { MAX_PAGE } from '../domain/api/page-links.ts';
import { listWebhooks } from '../operations/webhooks.ts';
import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import type { PageHandler } from './context.ts';
import { readQueryParameter } from './forms.ts';
import { toOperationContext } from './operations.ts';
import { describeLive, nameCells } from './live.ts';
import { findNoticeText } from './pages.ts';
import { WEBHOOKS_PATH } from './paths.ts';
import { scopedPath } from './scopes.ts';
import type { Scope } from './scopes.ts';
import { getScope } from './shell.ts';
import { countOf, formatCount } from './times.ts';
import { toStateCell } from './webhook-states.ts';
import { webhookPath } from './webhook-operations.ts';
import type { Webhook } from './webhook-operations.ts';
import { toShortTopic } from './words.ts';

const SECONDS_OF_DAY = DAY_MS / 1_000;

const COLUMNS = [
  { label: 'Address', kind: 'wide' },
  { label: 'State', speaksForItself: true },
  { label: 'Topics' },
  { label: 'Arrived, 24 h', kind: 'number' },
  { label: 'Pending', kind: 'number' },
  { label: 'Given up', kind: 'number' },
];

/** The webhooks of the scope in the order of their creation, with what became of a day's messages. */
export const showWebhooks: PageHandler = async (context, request, response) => {
  const scope = getScope(response);
  const page = readPage(readQueryParameter(request, 'page'));
  const operation = toOperationContext(context, response, 'listWebhooks');
  const answer = await listWebhooks(operation, {
    path: { org_id: scope.orgId },
    query: { page },
    headers: {},
    body: undefined,
  });
  const { items, total, page_size: size } = answer.body as components['schemas']['WebhookPage'];
  const since = new Date(context.clock().getTime() - DAY_MS);
  const shown = items.map(({ id }) => id);
  const counts = await context.reads.countDeliveriesSince(scope.orgId, since, SECONDS_OF_DAY, shown);
  const failing = await context.reads.listFailingWebhooks(scope.orgId, shown);
  const givenUp = items.filter(({ id }) => countOfState(counts, id, 'exhausted').count > 0).length;
  sendView(response, 200, 'webhooks', {
    sentence: describeList(scope, total, givenUp),
    webhooks: {
      columns: COLUMNS,
      rows: items.map((webhook) => nameCells(webhook.id, toRow(scope, webhook, counts, failing))),
    },
    live: describeLive(response, context.clock()),
    createPath: scopedPath(scope, `${WEBHOOKS_PATH}create/`),
    more: page * size < total ? scopedPath(scope, WEBHOOKS_PATH, { page: String(page + 1) }) : undefined,
    notice: findNoticeText(readQueryParameter(request, 'notice')),
    call: formatApiCall(context.baseUrl, {
      method: 'GET',
      path: `/org/${scope.orgId}/notifications/webhooks`,
    }),
  });
};

function readPage(text: string | undefined): number {
  const page = Number(text ?? '1');
  return Number.isInteger(page) && page >= 1 && page <= MAX_PAGE ? page : 1;
}

function describeList({ kind, name }: Scope, total: number, givenUp: number): string {
  const whose = kind === 'own' ? name : `the simulation ${name}`;
  const what =
    total === 0
      ? `Endpoints that are told what happens in ${whose}.`
      : `${countOf(total, 'endpoint')} of ${whose}.`;
  return givenUp === 0
    ? what
    : `${what} Messages to ${givenUp === 1 ? 'one of them' : `${givenUp} of them`} were given up in the last 24 hours.`;
}

function toRow(
  scope: Scope,
  webhook: Webhook,
  counts: readonly DeliveryCount[],
  failing: readonly FailingWebhook[],
) {
  const { id, url, topics } = webhook;
  const count = (state: DeliveryCount['state']) => {
    const { count: number, isCapped } = countOfState(counts, id, state);
    return { text: `${isCapped ? '≥ ' : ''}${formatCount(number)}` };
  };
  return [
    { text: url, href: webhookPath(scope, id) },
    toStateCell(webhook, failing),
    { text: topics.length === 0 ? 'none' : topics.map(toShortTopic).join(', ') },
    count('delivered'),
    count('pending'),
    count('exhausted'),
  ];
}

function countOfState(counts: readonly DeliveryCount[], id: string, state: DeliveryCount['state']) {
  const own = counts.filter((each) => each.webhookId === id && each.state === state);
  return {
    count: own.reduce((sum, { count }) => sum + count, 0),
    isCapped: own.some(({ isCapped }) => isCapped),
  };
}
