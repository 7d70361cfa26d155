import type { Request as HttpRequest } from 'express';
import type { components } from '../../generated/openapi.ts';
import type { Request } from '../contract/handlers.ts';
import { isUuid } from '../domain/api/formats.ts';
import { getWebhook } from '../operations/webhooks.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { toOperationContext } from './operations.ts';
import { sendNotFound } from './pages.ts';
import { WEBHOOKS_PATH } from './paths.ts';
import { scopedPath } from './scopes.ts';
import type { Scope } from './scopes.ts';

/** A webhook as the operations answer it. */
export type Webhook = components['schemas']['Webhook'];
/** The same with the secret that is shown once. */
export type WebhookWithSecret = components['schemas']['WebhookWithSecret'];

/** The path of a webhook's page, or of one below it. */
export function webhookPath(
  scope: Scope,
  id: string,
  page = '',
  query: Readonly<Record<string, string>> = {},
): string {
  return scopedPath(scope, `${WEBHOOKS_PATH}${id}/${page}`, query);
}

/** The same in the API, behind `/api/partners/v2.0`. */
export function webhookApiPath(scope: Scope, id: string, below = ''): string {
  return `/org/${scope.orgId}/notifications/webhooks/${id}${below}`;
}

/** A request of an operation about one webhook that has neither a query nor a body. */
export function toWebhookRequest(
  orgId: string,
  id: string,
): Pick<Request<'getWebhook'>, 'path' | 'query'> & { readonly body: undefined } {
  return { path: { org_id: orgId, webhook_id: id }, query: {}, body: undefined };
}

/** A page about one webhook. */
export type WebhookHandler = (
  context: PortalContext,
  request: HttpRequest,
  response: PortalResponse,
  webhook: Webhook,
) => Promise<void> | void;

/** The page about the webhook that the path names by `:id`; 404 for one that is not there. */
export function withWebhook(handle: WebhookHandler): PageHandler {
  return async (context, request, response) => {
    const webhook = await findWebhook(context, request, response);
    if (webhook === undefined) sendNotFound(response);
    else await handle(context, request, response, webhook);
  };
}

/** The webhook as it is stored now. Throws the problem not_found; undefined for what is no id. */
export async function findWebhook(
  context: PortalContext,
  request: HttpRequest,
  response: PortalResponse,
): Promise<Webhook | undefined> {
  const id = String(request.params['id']).toLowerCase();
  if (!isUuid(id)) return undefined;
  const operation = toOperationContext(context, response, 'getWebhook');
  return (await getWebhook(operation, { ...toWebhookRequest(operation.orgId, id), headers: {} }))
    .body as Webhook;
}
