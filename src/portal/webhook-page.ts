import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import { versionOf } from './form-versions.ts';
import { readQueryParameter } from './forms.ts';
import { describeLive } from './live.ts';
import { hostOf } from './need.ts';
import { findNoticeText } from './pages.ts';
import { WEBHOOKS_PATH } from './paths.ts';
import { scopedPath } from './scopes.ts';
import type { Scope } from './scopes.ts';
import { getScope } from './shell.ts';
import { formatMinute } from './times.ts';
import { listVerifyCode } from './verify-code.ts';
import { readHealth } from './webhook-health.ts';
import { webhookApiPath, webhookPath, withWebhook } from './webhook-operations.ts';
import type { Webhook } from './webhook-operations.ts';
import { toStateCell } from './webhook-states.ts';

/** One webhook: how it stands and what can be done. */
export const showWebhook = withWebhook(async (context, request, response, webhook) => {
  const scope = getScope(response);
  const { id, url, topics, enabled } = webhook;
  const health = await readHealth(context, response, id);
  sendView(response, 200, 'webhook', {
    heading: hostOf(url),
    sentence: enabled && topics.length > 0 ? health.sentence : describeSilence(webhook),
    webhook,
    health,
    live: describeLive(response, context.clock()),
    hasCharts: health.picture !== undefined,
    verify: listVerifyCode(webhook),
    state: toStateCell(webhook, await context.reads.listFailingWebhooks(scope.orgId, [id])),
    topics: topics.length === 0 ? 'None' : topics.join(', '),
    created: `${formatMinute(new Date(webhook.created_at))} UTC`,
    changed: `${formatMinute(new Date(webhook.updated_at))} UTC`,
    version: versionOf(webhook),
    paths: {
      list: scopedPath(scope, WEBHOOKS_PATH),
      state: webhookPath(scope, id, 'state/'),
    },
    actions: listActions(scope, webhook),
    notice: findNoticeText(readQueryParameter(request, 'notice')),
    call: formatApiCall(context.baseUrl, { method: 'GET', path: webhookApiPath(scope, id) }),
  });
});

/** Why nothing is sent to it, and what to do. */
function describeSilence({ enabled, topics, updated_at: updatedAt }: Webhook): string {
  if (enabled) return 'It is enabled, but has no topic: it receives nothing. Choose what it is told of.';
  const cure = topics.length === 0 ? 'Choose a topic and enable it' : 'Enable it';
  return `It is disabled (changed ${formatMinute(new Date(updatedAt))} UTC): what happens is dropped and never sent to it later. ${cure} to have it told of what happens from then on.`;
}

/** What can be done, first what brings it on. */
function listActions(scope: Scope, webhook: Webhook) {
  const at = (page: string): string => webhookPath(scope, webhook.id, page);
  return [
    toMainAction(scope, webhook),
    { label: 'Deliveries', href: at('deliveries/') },
    { label: 'Change', href: at('update/') },
    { label: 'Replace the secret', href: at('secret/') },
    { label: 'Delete', href: at('delete/'), kind: 'danger' },
  ];
}

function toMainAction(scope: Scope, webhook: Webhook) {
  const { id, enabled, topics } = webhook;
  if (topics.length === 0)
    return { label: 'Choose topics', href: webhookPath(scope, id, 'update/'), kind: 'primary' };
  if (enabled) return { label: 'Send a test', href: webhookPath(scope, id, 'test/'), kind: 'primary' };
  const hidden = { version: versionOf(webhook), enabled: 'true' };
  return { label: 'Enable', post: webhookPath(scope, id, 'state/'), hidden, kind: 'primary' };
}
