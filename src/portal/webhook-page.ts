import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import { versionOf } from './form-versions.ts';
import { readQueryParameter } from './forms.ts';
import { describeLive } from './live.ts';
import { hostOf } from './needs.ts';
import { findNoticeText } from './pages.ts';
import { WEBHOOKS_PATH } from './paths.ts';
import { scopedPath } from './scopes.ts';
import { getScope } from './shell.ts';
import { formatMinute } from './times.ts';
import { listVerifyCode } from './verify-code.ts';
import { readHealth } from './webhook-health.ts';
import { webhookApiPath, webhookPath, withWebhook } from './webhook-operations.ts';

/** One webhook: how it stands and what can be done. */
export const showWebhook = withWebhook(async (context, request, response, webhook) => {
  const scope = getScope(response);
  const { id, url, topics, enabled } = webhook;
  const health = await readHealth(context, response, id);
  sendView(response, 200, 'webhook', {
    heading: hostOf(url),
    sentence: enabled
      ? topics.length === 0
        ? 'It is enabled, but has no topic: it receives nothing.'
        : health.sentence
      : 'It is disabled: what happens is dropped and never sent to it later.',
    webhook,
    health,
    live: describeLive(response, context.clock()),
    hasCharts: health.picture !== undefined,
    verify: listVerifyCode(webhook),
    state: enabled ? { kind: 'ok', word: 'Enabled' } : { kind: 'neutral', word: 'Disabled' },
    topics: topics.length === 0 ? 'None' : topics.join(', '),
    created: `${formatMinute(new Date(webhook.created_at))} UTC`,
    changed: `${formatMinute(new Date(webhook.updated_at))} UTC`,
    version: versionOf(webhook),
    paths: {
      list: scopedPath(scope, WEBHOOKS_PATH),
      state: webhookPath(scope, id, 'state/'),
    },
    actions: [
      { label: 'Send a test', href: webhookPath(scope, id, 'test/'), kind: 'primary' },
      { label: 'Deliveries', href: webhookPath(scope, id, 'deliveries/') },
      { label: 'Change', href: webhookPath(scope, id, 'update/') },
      { label: 'Replace the secret', href: webhookPath(scope, id, 'secret/') },
      { label: 'Delete', href: webhookPath(scope, id, 'delete/'), kind: 'danger' },
    ],
    notice: findNoticeText(readQueryParameter(request, 'notice')),
    call: formatApiCall(context.baseUrl, { method: 'GET', path: webhookApiPath(scope, id) }),
  });
});
