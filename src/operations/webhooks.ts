import { randomUUID } from 'node:crypto';
import type { components } from '../../generated/openapi.ts';
import { requireWithinQuota } from '../accounts/quotas.ts';
import type { Handler } from '../contract/handlers.ts';
import { validateEndpointUrl } from '../domain/notifications/endpoint.ts';
import { requireMatch } from '../domain/api/entity-tags.ts';
import { PAGE_SIZE, formatLinkHeader, numberedPageRelations } from '../domain/api/page-links.ts';
import { Problem, validationProblem, notFoundProblem } from '../domain/api/problem.ts';
import { decrypt, encrypt, webhookSecretContext } from '../domain/security/encryption.ts';
import { describeOutcome } from '../domain/notifications/retry.ts';
import { generateSigningSecret } from '../domain/notifications/signature.ts';
import { validateSubscription, validateTopics } from '../domain/notifications/topics.ts';
import type { Tx } from '../queries/connection/database.ts';
import { inTransaction } from '../queries/connection/in-transaction.ts';
import * as changes from '../queries/deliveries/webhook-changes.ts';
import * as webhooks from '../queries/deliveries/webhooks.ts';
import { type Webhook as WebhookRow, type WebhookChange } from '../queries/deliveries/webhooks.ts';
import { quotaScope } from './context.ts';
import type { Context } from './context.ts';

type Webhook = components['schemas']['Webhook'];

/** Creates an enabled webhook; its signing secret is in this answer only. 422 with all errors of URL and topics, or
 * `quota_reached`. */
export const createWebhook: Handler<Context, 'createWebhook'> = async (context, { body }) => {
  const endpoint = validateEndpointUrl(body.url, context.allowedNetworks);
  const { topics, errors } = validateTopics(body.topics ?? []);
  if ('errors' in endpoint || errors.length > 0) {
    throw validationProblem([...('errors' in endpoint ? endpoint.errors : []), ...errors]);
  }
  const id = randomUUID();
  const secret = generateSigningSecret();
  const encrypted = encrypt(context.keyring, secret, webhookSecretContext(id));
  const webhook = { org_id: context.orgId, id, url: endpoint.uri, topics, secret: encrypted };
  const row = await inTransaction(context.db, async (tx) => {
    await requireWithinQuota(tx, quotaScope(context), 'webhooks');
    return webhooks.insertWebhook(tx, webhook, context.now);
  });
  return {
    status: 201,
    headers: { Location: `${collectionUrl(context)}/${id}` },
    body: { ...presentWebhook(row), secret: secret.reveal() },
  };
};

/** One page of the organization's webhooks, oldest first. */
export const listWebhooks: Handler<Context, 'listWebhooks'> = async (context, { query }) => {
  const { page = 1 } = query;
  const rows = await webhooks.listWebhooks(context.db, context.orgId, page);
  const total = await webhooks.countWebhooks(context.db, context.orgId);
  return {
    status: 200,
    headers: {
      Link: formatLinkHeader(collectionUrl(context), query, numberedPageRelations(page, PAGE_SIZE, total)),
    },
    body: { items: rows.map(presentWebhook), total, page, page_size: PAGE_SIZE },
  };
};

/** 404 when there is no such webhook. */
export const getWebhook: Handler<Context, 'getWebhook'> = async (context, { path }) => {
  return { status: 200, body: presentWebhook(await requireWebhook(context, path.webhook_id)) };
};

/**
 * Changes `enabled` or the topics, and cancels the pending deliveries that are no longer wanted; 503 where more would be wanted while
 * former ones are still being cancelled.
 */
export const updateWebhook: Handler<Context, 'updateWebhook'> = async (context, { path, headers, body }) => {
  const { topics, errors } = validateTopics(body.topics ?? []);
  if (errors.length > 0) {
    await checkWebhookExists(context, path);
    throw validationProblem(errors);
  }
  const change: WebhookChange = {
    ...(body.enabled === undefined ? {} : { enabled: body.enabled }),
    ...(body.topics === undefined ? {} : { topics }),
  };
  if (Object.keys(change).length === 0) {
    const webhook = await requireWebhook(context, path.webhook_id);
    requireMatch(headers['If-Match'], () => presentWebhook(webhook));
    return { status: 200, body: presentWebhook(webhook) };
  }
  const { orgId, now } = context;
  const updated = await inTransaction(context.db, async (tx) => {
    await requireUnchanged(tx, orgId, path.webhook_id, headers['If-Match']);
    return changes.updateWebhook(tx, orgId, path.webhook_id, change, now);
  });
  if (updated === 'too_early') throw tooEarlyProblem();
  const { webhook, cancelled } = orNotFound(updated);
  if (cancelled !== undefined) context.countCancelled(cancelled.reason, cancelled.count);
  return { status: 200, body: presentWebhook(webhook) };
};

/** Locks the webhook where a tag is sent: 412 when it would be answered otherwise than the client has seen it. */
async function requireUnchanged(
  tx: Tx,
  orgId: string,
  id: string,
  ifMatch: string | undefined,
): Promise<void> {
  if (ifMatch === undefined) return;
  const webhook = orNotFound(await webhooks.lockWebhook(tx, orgId, id));
  requireMatch(ifMatch, () => presentWebhook(webhook));
}

/** Deletes a webhook and cancels its pending deliveries. */
export const deleteWebhook: Handler<Context, 'deleteWebhook'> = async (context, { path, headers }) => {
  const { orgId, now } = context;
  const removed = await inTransaction(context.db, async (tx) => {
    await requireUnchanged(tx, orgId, path.webhook_id, headers['If-Match']);
    return changes.softDeleteWebhook(tx, orgId, path.webhook_id, now);
  });
  const { reason, count } = orNotFound(removed);
  context.countCancelled(reason, count);
  return { status: 204 };
};

/** Replaces the signing secret; the new one is in this answer only. */
export const rotateWebhookSecret: Handler<Context, 'rotateWebhookSecret'> = async (context, { path }) => {
  return { status: 200, body: await replaceWebhookSecret(context, path.webhook_id) };
};

/**
 * Replaces the signing secret, with an entity tag only of a webhook that is as the caller has seen it.
 * @throws Problem not_found; precondition_failed.
 */
export async function replaceWebhookSecret(
  context: Context,
  id: string,
  ifMatch?: string,
): Promise<components['schemas']['WebhookWithSecret']> {
  const secret = generateSigningSecret();
  const encrypted = encrypt(context.keyring, secret, webhookSecretContext(id));
  const { orgId, now } = context;
  const row = await inTransaction(context.db, async (tx) => {
    await requireUnchanged(tx, orgId, id, ifMatch);
    return webhooks.rotateWebhookSecret(tx, orgId, id, encrypted, now);
  });
  return { ...presentWebhook(orNotFound(row)), secret: secret.reveal() };
}

/** The order of the checks is decided: unknown 404, disabled or removed `cancelled`, not subscribed 422, then sent. */
export const testWebhook: Handler<Context, 'testWebhook'> = async (context, { path, body }) => {
  const webhook = orNotFound(
    await webhooks.findWebhookWithSecret(context.db, context.orgId, path.webhook_id),
  );
  if (webhook.deleted_at !== null) return cancelledTest('The webhook is removed.');
  if (!webhook.enabled) return cancelledTest('The webhook is disabled.');
  const errors = validateSubscription(webhook.topics, body.topic);
  if (errors.length > 0) throw validationProblem(errors);
  if (!context.keyring.keys.has(webhook.secret.keyId)) return UNSIGNED_TEST;
  const secret = decrypt(context.keyring, webhook.secret, webhookSecretContext(webhook.id));
  const { outcome, status_code, detail } = await context.testWebhook({
    webhookId: webhook.id,
    url: webhook.url,
    secret: secret.reveal(),
    topic: body.topic,
    partnerId: context.actor.partnerId,
  });
  return { status: 200, body: { outcome, status_code, detail } };
};

/** 404 unless the webhook is there and not removed. */
export async function checkWebhookExists(
  context: Context,
  path: { readonly webhook_id: string },
): Promise<void> {
  await requireWebhook(context, path.webhook_id);
}

/** 404 unless the webhook is there or was: a test of a removed one has an answer of its own. */
export async function checkWebhookToTestExists(
  context: Context,
  path: { readonly webhook_id: string },
): Promise<void> {
  orNotFound(await webhooks.findWebhookWithSecret(context.db, context.orgId, path.webhook_id));
}

async function requireWebhook(context: Context, id: string): Promise<WebhookRow> {
  return orNotFound(await webhooks.findWebhook(context.db, context.orgId, id));
}

function tooEarlyProblem(): Problem {
  const detail =
    'Deliveries that the webhook no longer wants are still being cancelled. Ask again in a second.';
  return new Problem('overloaded', detail, { headers: { 'Retry-After': '1' } });
}

function orNotFound<T>(value: T | undefined): T {
  if (value === undefined) throw notFoundProblem('webhook');
  return value;
}

/** Of a webhook whose secret's key is not configured: what its deliveries say. */
const UNSIGNED_TEST = {
  status: 200,
  body: { outcome: 'failed', status_code: null, detail: describeOutcome({ kind: 'unsigned' }) },
} as const;

function cancelledTest(detail: string) {
  return { status: 200, body: { outcome: 'cancelled', status_code: null, detail } } as const;
}

function collectionUrl(context: Context): string {
  return `${context.baseUrl}/api/partners/v2.0/org/${context.orgId}/notifications/webhooks`;
}

/** Field by field, so that nothing secret can slip in. */
function presentWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    topics: row.topics,
    enabled: row.enabled,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
