import type { components } from '../../generated/openapi.ts';
import { checkStored } from '../accounts/quotas.ts';
import type { Handler } from '../contract/handlers.ts';
import { formatLinkHeader } from '../domain/api/page-links.ts';
import { decodeCursor, encodeCursor } from '../domain/api/cursor.ts';
import { validationProblem, notFoundProblem, Problem } from '../domain/api/problem.ts';
import { inTransaction } from '../queries/connection/in-transaction.ts';
import * as log from '../queries/deliveries/delivery-log.ts';
import type { LoggedAttempt, LoggedDelivery } from '../queries/deliveries/delivery-log.ts';
import { checkDestinationAddress } from '../domain/security/addresses.ts';
import { reannounceMessage } from '../queries/notifications/events.ts';
import { findWebhook } from '../queries/deliveries/webhooks.ts';
import { quotaScope } from './context.ts';
import type { Context } from './context.ts';
import { checkWebhookExists } from './webhooks.ts';

type Delivery = components['schemas']['Delivery'];
type DeliveryAttempt = components['schemas']['DeliveryAttempt'];

interface DeliveryPath {
  readonly webhook_id: string;
  readonly message_id: string;
}

/** One page of a webhook's deliveries, newest first. 422 `cursor_invalid` for an `after` that no page has given. */
export const listDeliveries: Handler<Context, 'listDeliveries'> = async (context, { path, query }) => {
  await checkWebhookExists(context, path);
  const after = query.after === undefined ? undefined : decodeCursor(query.after);
  if (query.after !== undefined && after === undefined) {
    const detail = 'Must be `next` of a page, or come from the next address of its Link header.';
    throw validationProblem([{ parameter: 'after', in: 'query', code: 'cursor_invalid', detail }]);
  }
  const { limit = 50 } = query;
  const key = { orgId: context.orgId, webhookId: path.webhook_id };
  const rows = await log.listDeliveries(context.db, key, { after, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const next = last === undefined ? null : encodeCursor({ createdAt: last.created_at, id: last.message_id });
  const address = `${context.baseUrl}/api/partners/v2.0/org/${context.orgId}/notifications/webhooks/${path.webhook_id}/deliveries`;
  return {
    status: 200,
    headers: next === null ? {} : { Link: formatLinkHeader(address, { limit, after: next }, { next: {} }) },
    body: { items: page.map(presentDelivery), limit, next },
  };
};

/** One delivery with its newest attempts. 404 when the webhook or the delivery is not there. */
export const getDelivery: Handler<Context, 'getDelivery'> = async (context, { path }) => {
  const delivery = await requireDelivery(context, path);
  const attempts = await log.listDeliveryAttempts(context.db, keyOf(context, path));
  return { status: 200, body: { ...presentDelivery(delivery), attempt_log: attempts.map(presentAttempt) } };
};

/** Sends a delivered or exhausted delivery again. 409 `delivery_state_conflict` when it cannot be sent, 422 `quota_reached`. */
export const redeliver: Handler<Context, 'redeliver'> = async (context, { path }) => {
  const before = await requireDelivery(context, path);
  const { orgId, now } = context;
  const reopened = await inTransaction(context.db, async (tx) => {
    const delivery = await log.requeueDelivery(tx, keyOf(context, path), now, context.requestId);
    if (delivery === undefined) return undefined;
    await checkStored(tx, quotaScope(context), 'pending_deliveries', 1);
    await reannounceMessage(tx, orgId, delivery.message_id);
    return delivery;
  });
  if (reopened === undefined) {
    throw new Problem('delivery_state_conflict', await explainConflict(context, path, before.message_type));
  }
  context.wakeDispatcher([orgId]);
  return { status: 200, body: presentDelivery(reopened) };
};

/** 404 unless the webhook is there and the message was to be sent to it. */
export async function checkDeliveryExists(context: Context, path: DeliveryPath): Promise<void> {
  await requireDelivery(context, path);
}

async function requireDelivery(context: Context, path: DeliveryPath): Promise<LoggedDelivery> {
  await checkWebhookExists(context, path);
  return orNotFound(await find(context, path));
}

function find(context: Context, path: DeliveryPath): Promise<LoggedDelivery | undefined> {
  return log.findDelivery(context.db, keyOf(context, path));
}

const keyOf = ({ orgId }: Context, { webhook_id: webhookId, message_id: messageId }: DeliveryPath) => ({
  orgId,
  webhookId,
  messageId,
});

function orNotFound(delivery: LoggedDelivery | undefined): LoggedDelivery {
  if (delivery === undefined) throw notFoundProblem('delivery');
  return delivery;
}

/** Why a delivery is not sent again. */
async function explainConflict(context: Context, path: DeliveryPath, topic: string): Promise<string> {
  const { state } = orNotFound(await find(context, path));
  if (state === 'pending' || state === 'cancelled') {
    return `The delivery is ${state}; only a delivered or exhausted one is sent again.`;
  }
  const webhook = await findWebhook(context.db, context.orgId, path.webhook_id);
  if (webhook === undefined) throw notFoundProblem('webhook');
  return webhook.enabled
    ? `The webhook is not subscribed to ${topic} any more.`
    : 'The webhook is disabled; enable it first.';
}

function presentDelivery(row: LoggedDelivery): Delivery {
  return {
    message_id: row.message_id,
    message_type: row.message_type,
    state: row.state,
    attempts: row.attempts,
    created_at: row.created_at.toISOString(),
    due_at: row.state === 'pending' ? row.due_at.toISOString() : null,
    finished_at: row.finished_at?.toISOString() ?? null,
    cancel_reason: row.cancel_reason,
  };
}

function presentAttempt(row: LoggedAttempt): DeliveryAttempt {
  return {
    attempt: row.attempt,
    started_at: row.started_at.toISOString(),
    duration_ms: row.duration_ms,
    outcome: row.outcome,
    error_class: row.error_class,
    status_code: row.status_code,
    detail: row.detail,
    // Private addresses can be called only where the operator permits it, and are the operator's business alone.
    address: row.address !== null && checkDestinationAddress(row.address).allowed ? row.address : null,
    secret_version: row.secret_version,
    request_id: row.request_id,
  };
}
