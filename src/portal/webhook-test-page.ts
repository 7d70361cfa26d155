import type { components } from '../../generated/openapi.ts';
import { testWebhook } from '../operations/webhooks.ts';
import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import { logChange } from './change-log.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { readFormField } from './forms.ts';
import { requireBody, toFieldMessages, toOperationContext } from './operations.ts';
import { requireUse } from './quota-uses.ts';
import { getScope } from './shell.ts';
import { toWebhookRequest, webhookApiPath, webhookPath, withWebhook } from './webhook-operations.ts';
import type { Webhook } from './webhook-operations.ts';

type Result = components['schemas']['WebhookTestResult'];

interface Note {
  readonly kind: 'ok' | 'warning' | 'error';
  readonly strong: string;
  readonly text: string;
}

/** The form that sends a test message. */
export const showWebhookTest = withWebhook((context, _request, response, webhook) => {
  sendTestPage(context, response, webhook, 200);
});

/** Sends it at once and says what came of it. */
export const sendTestFromForm = withWebhook(async (context, request, response, webhook) => {
  await requireUse(context, response, 'webhook_test');
  try {
    const operation = toOperationContext(context, response, 'testWebhook');
    const { body } = await testWebhook(operation, {
      ...toWebhookRequest(operation.orgId, webhook.id),
      headers: {},
      body: requireBody('testWebhook', { topic: readFormField(request, 'topic') }),
    });
    logChange(context, response, 'Webhook tested.', { id: webhook.id });
    sendTestPage(context, response, webhook, 200, describeResult(body as Result));
  } catch (error) {
    const errors = toFieldMessages(error);
    if (errors === undefined) throw error;
    const text = Object.values(errors).join(' ');
    sendTestPage(context, response, webhook, 422, { kind: 'error', strong: 'Nothing was sent.', text });
  }
});

function describeResult({ outcome, status_code: status, detail }: Result): Note {
  switch (outcome) {
    case 'delivered':
      return { kind: 'ok', strong: 'It arrived.', text: `The endpoint answered with ${String(status)}.` };
    case 'failed':
      return { kind: 'error', strong: 'It did not arrive.', text: detail ?? '' };
    case 'cancelled':
      return { kind: 'warning', strong: 'Nothing was sent.', text: detail ?? '' };
    default:
      return outcome satisfies never;
  }
}

function sendTestPage(
  { baseUrl }: PortalContext,
  response: PortalResponse,
  { id, url, topics, enabled }: Webhook,
  status: number,
  note?: Note,
): void {
  const scope = getScope(response);
  const [first] = topics;
  sendView(response, status, 'webhook-test', {
    sentence: `To ${url}, at once and once: a message of the type service.test, signed like every other.`,
    note,
    cannot: enabled
      ? 'It has no topic, so there is nothing to be tested.'
      : 'It is disabled: nothing would be sent.',
    field:
      first === undefined || !enabled
        ? undefined
        : {
            name: 'topic',
            label: 'Topic',
            value: first,
            choices: Object.fromEntries(topics.map((topic) => [topic, topic])),
          },
    action: webhookPath(scope, id, 'test/'),
    back: webhookPath(scope, id),
    change: webhookPath(scope, id, 'update/'),
    call: formatApiCall(baseUrl, {
      method: 'POST',
      path: webhookApiPath(scope, id, '/test'),
      body: { topic: first ?? 'device.information' },
    }),
  });
}
