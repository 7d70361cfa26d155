import { isDeepStrictEqual } from 'node:util';
import type { Request } from 'express';
import { deleteWebhook, updateWebhook } from '../operations/webhooks.ts';
import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import { logChange } from './change-log.ts';
import { isStaleError, readPrecondition, readVersion, versionOf } from './form-versions.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { readFormField } from './forms.ts';
import type { FieldMessages } from './forms.ts';
import { requireBody, toFieldMessages, toOperationContext } from './operations.ts';
import { redirectWithNotice, sendNotFound } from './pages.ts';
import type { Notice } from './pages.ts';
import { WEBHOOKS_PATH } from './paths.ts';
import { scopedPath } from './scopes.ts';
import { getScope } from './shell.ts';
import { describeStateField, describeTopics, readWebhookForm } from './webhook-form.ts';
import type { WebhookValues } from './webhook-form.ts';
import {
  findWebhook,
  toWebhookRequest,
  webhookApiPath,
  webhookPath,
  withWebhook,
} from './webhook-operations.ts';
import type { Webhook } from './webhook-operations.ts';

const STALE_TEXT =
  'Somebody else has changed this webhook meanwhile. What is stored now stands below each field that differs; save again to put yours in its place.';

interface UpdateForm {
  readonly status: number;
  readonly values: WebhookValues;
  readonly errors: FieldMessages;
  /** That of what is stored unless another one is given. */
  readonly version?: string;
  readonly isStale?: boolean;
}

/** The form with what is stored. */
export const showWebhookUpdate = withWebhook((context, _request, response, webhook) => {
  sendUpdateForm(context, response, webhook, { status: 200, values: webhook, errors: {} });
});

/** Changes topics and state: 303 to the page, 422 with the form, or 412 with both values of what somebody else has changed. */
export const updateWebhookFromForm = withWebhook(async (context, request, response, webhook) => {
  const values = readWebhookForm(request);
  const change = { topics: values.topics, enabled: values.enabled };
  const isDone = await applyChange(context, request, response, { webhook, values, change });
  if (isDone) redirectToWebhook(response, webhook, 'webhook_updated');
});

/** Enables or disables it by one button: 303 to the page, or 412 with the form when it is another one than the page has shown. */
export const switchWebhookFromForm = withWebhook(async (context, request, response, webhook) => {
  const enabled = readFormField(request, 'enabled') === 'true';
  const values = { ...webhook, enabled };
  const isDone = await applyChange(context, request, response, { webhook, values, change: { enabled } });
  if (isDone) redirectToWebhook(response, webhook, enabled ? 'webhook_enabled' : 'webhook_disabled');
});

interface Change {
  readonly webhook: Webhook;
  readonly values: WebhookValues;
  readonly change: { readonly enabled: boolean; readonly topics?: readonly string[] };
}

/** Whether it is as it was asked for; otherwise the form has been answered. */
async function applyChange(
  context: PortalContext,
  request: Request,
  response: PortalResponse,
  { webhook, values, change }: Change,
): Promise<boolean> {
  try {
    const operation = toOperationContext(context, response, 'updateWebhook');
    await updateWebhook(operation, {
      ...toWebhookRequest(operation.orgId, webhook.id),
      headers: readPrecondition(request),
      body: requireBody('updateWebhook', change),
    });
    logChange(context, response, 'Webhook changed.', { id: webhook.id });
    return true;
  } catch (error) {
    if (isStaleError(error)) {
      const stored = await findWebhook(context, request, response);
      if (stored === undefined) sendNotFound(response);
      else if (isAsAsked(stored, change)) return true;
      else sendUpdateForm(context, response, stored, { status: 412, values, errors: {}, isStale: true });
      return false;
    }
    const errors = toFieldMessages(error);
    if (errors === undefined) throw error;
    sendUpdateForm(context, response, webhook, {
      status: 422,
      values,
      errors,
      version: readVersion(request),
    });
    return false;
  }
}

/** What a form that was sent twice finds. */
function isAsAsked({ enabled, topics }: Webhook, change: Change['change']): boolean {
  const wanted = change.topics ?? topics;
  return enabled === change.enabled && isDeepStrictEqual(topics.toSorted(), wanted.toSorted());
}

function redirectToWebhook(response: PortalResponse, { id }: Webhook, notice: Notice): void {
  redirectWithNotice(response, webhookPath(getScope(response), id), notice);
}

function sendUpdateForm(
  { baseUrl }: PortalContext,
  response: PortalResponse,
  webhook: Webhook,
  { status, values, errors, version = versionOf(webhook), isStale = false }: UpdateForm,
): void {
  const scope = getScope(response);
  const stored = isStale ? webhook : undefined;
  sendView(response, status, 'webhook-form', {
    heading: 'Change the webhook',
    sentence: `${webhook.url}. The address stays: for another one create a webhook and delete this one.`,
    action: webhookPath(scope, webhook.id, 'update/'),
    back: webhookPath(scope, webhook.id),
    submit: 'Save',
    version,
    stale: isStale ? STALE_TEXT : undefined,
    errors,
    field: describeStateField(values, stored),
    topics: describeTopics(values, errors, stored),
    call: formatApiCall(baseUrl, {
      method: 'PATCH',
      path: webhookApiPath(scope, webhook.id),
      body: { topics: webhook.topics, enabled: webhook.enabled },
    }),
  });
}

/** Says what a deletion does, and asks. */
export const showWebhookDeletion = withWebhook(({ baseUrl }, _request, response, webhook) => {
  const scope = getScope(response);
  sendView(response, 200, 'confirm', {
    heading: 'Delete the webhook?',
    text: `${webhook.url} is told nothing any more. What is still to be sent to it is dropped, and its log is gone. This cannot be undone.`,
    action: webhookPath(scope, webhook.id, 'delete/'),
    submit: 'Delete the webhook',
    back: webhookPath(scope, webhook.id),
    danger: true,
    call: formatApiCall(baseUrl, { method: 'DELETE', path: webhookApiPath(scope, webhook.id) }),
  });
});

/** Deletes it: 303 to the list. */
export const deleteWebhookFromForm = withWebhook(async (context, _request, response, webhook) => {
  const operation = toOperationContext(context, response, 'deleteWebhook');
  await deleteWebhook(operation, { ...toWebhookRequest(operation.orgId, webhook.id), headers: {} });
  logChange(context, response, 'Webhook deleted.', { id: webhook.id });
  redirectWithNotice(response, scopedPath(getScope(response), WEBHOOKS_PATH), 'webhook_deleted');
});
