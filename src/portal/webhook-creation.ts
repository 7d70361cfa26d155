import type { Request } from 'express';
import type { Context } from '../operations/context.ts';
import { createWebhook, replaceWebhookSecret } from '../operations/webhooks.ts';
import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import { logChange } from './change-log.ts';
import { isStaleError, readPrecondition, versionOf } from './form-versions.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { chooseFormKey, newFormKey, runOnce } from './form-keys.ts';
import type { CreationForm } from './form-keys.ts';
import { requireBody, toFieldMessages, toOperationContext } from './operations.ts';
import { redirectWithNotice } from './pages.ts';
import { WEBHOOKS_PATH } from './paths.ts';
import { scopedPath } from './scopes.ts';
import { getScope } from './shell.ts';
import { describeAddressField, describeTopics, NEW_WEBHOOK, readWebhookForm } from './webhook-form.ts';
import type { WebhookValues } from './webhook-form.ts';
import { webhookApiPath, webhookPath, withWebhook } from './webhook-operations.ts';
import type { WebhookWithSecret } from './webhook-operations.ts';

/** The empty form. */
export const showWebhookCreation: PageHandler = (context, _request, response) => {
  sendCreationForm(context, response, {
    status: 200,
    formKey: newFormKey(),
    values: NEW_WEBHOOK,
    errors: {},
  });
};

/** Creates a webhook and shows its secret once, or answers 422 with the form. */
export const createWebhookFromForm: PageHandler = async (context, request, response) => {
  const values = readWebhookForm(request);
  try {
    const operation = toOperationContext(context, response, 'createWebhook');
    const { id, created } = await createOnce(operation, context, request, values);
    if (created === undefined) {
      redirectWithNotice(response, webhookPath(getScope(response), id), 'secret_unchanged');
      return;
    }
    logChange(context, response, 'Webhook created.', { id });
    sendSecret(response, 'Webhook created', created);
  } catch (error) {
    const errors = toFieldMessages(error);
    if (errors === undefined) throw error;
    const formKey = chooseFormKey(request, error);
    sendCreationForm(context, response, { status: 422, formKey, values, errors });
  }
};

/** The webhook of the form; without its secret and `undefined` as `created` when the form was sent before. */
async function createOnce(
  operation: Context,
  context: PortalContext,
  request: Request,
  { url, topics }: WebhookValues,
): Promise<{ readonly id: string; readonly created: WebhookWithSecret | undefined }> {
  const path = { org_id: operation.orgId };
  const body = requireBody('createWebhook', { url, topics });
  let created: WebhookWithSecret | undefined;
  const asked = { operation: 'createWebhook', path, body } as const;
  const answer = await runOnce(context, request, operation, asked, async (once) => {
    const reply = await createWebhook(once, { path, query: {}, headers: {}, body });
    created = reply.body as WebhookWithSecret;
    // What is kept for a form that is sent again holds no secret.
    return { status: reply.status, body: { id: created.id } };
  });
  const { id } = answer.body as { readonly id: string };
  return { id, created: answer.isRepeat ? undefined : created };
}

function sendCreationForm(
  { baseUrl }: PortalContext,
  response: PortalResponse,
  { status, formKey, values, errors }: CreationForm<WebhookValues>,
): void {
  const scope = getScope(response);
  sendView(response, status, 'webhook-form', {
    heading: 'Create a webhook',
    sentence:
      scope.kind === 'own'
        ? `It is told what happens to the devices of ${scope.name}.`
        : `It is told what happens in the simulation ${scope.name}, and of nothing else.`,
    action: scopedPath(scope, `${WEBHOOKS_PATH}create/`),
    back: scopedPath(scope, WEBHOOKS_PATH),
    submit: 'Create the webhook',
    formKey,
    errors,
    field: describeAddressField(values, errors),
    topics: describeTopics(values, errors),
    call: formatApiCall(baseUrl, {
      method: 'POST',
      path: `/org/${scope.orgId}/notifications/webhooks`,
      body: { url: 'https://your.endpoint.example/hooks', topics: NEW_WEBHOOK.topics },
    }),
  });
}

/** Asks whether to replace the secret. */
export const showSecretRotation = withWebhook(({ baseUrl }, _request, response, webhook) => {
  const scope = getScope(response);
  sendView(response, 200, 'confirm', {
    heading: 'Replace the signing secret?',
    text: `What is sent to ${webhook.url} from then on, retries too, is signed with the new secret alone. Messages that the old one has signed may still be on their way for five seconds. The new secret is shown once.`,
    action: webhookPath(scope, webhook.id, 'secret/'),
    version: versionOf(webhook),
    submit: 'Replace the secret',
    back: webhookPath(scope, webhook.id),
    call: formatApiCall(baseUrl, {
      method: 'POST',
      path: webhookApiPath(scope, webhook.id, '/rotate-secret'),
    }),
  });
});

/** Replaces the secret and shows the new one once; nothing when the webhook is another one than the page has shown. */
export const rotateSecretFromForm = withWebhook(async (context, request, response, webhook) => {
  const scope = getScope(response);
  const operation = toOperationContext(context, response, 'rotateWebhookSecret');
  const { 'If-Match': ifMatch } = readPrecondition(request);
  try {
    const replaced = await replaceWebhookSecret(operation, webhook.id, ifMatch);
    logChange(context, response, 'Webhook secret replaced.', { id: webhook.id });
    sendSecret(response, 'Secret replaced', replaced);
  } catch (error) {
    if (!isStaleError(error)) throw error;
    redirectWithNotice(response, webhookPath(scope, webhook.id), 'secret_stale');
  }
});

function sendSecret(response: PortalResponse, heading: string, webhook: WebhookWithSecret): void {
  sendView(response, 200, 'webhook-secret', {
    heading,
    webhook,
    page: webhookPath(getScope(response), webhook.id),
    testPage: webhookPath(getScope(response), webhook.id, 'test/'),
  });
}
