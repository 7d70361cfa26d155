import { createHmac, randomUUID } from 'node:crypto';
import type { Request } from 'express';
import { DAY_MS } from '../domain/api/durations.ts';
import { isUuid } from '../domain/api/formats.ts';
import { tryParseInstant } from '../domain/api/instants.ts';
import { Problem } from '../domain/api/problem.ts';
import { matchesDigest, sha256Digest } from '../domain/security/credentials.ts';
import { countRedeliveries, MOST_COUNTED, redeliverBatch } from '../operations/redeliveries.ts';
import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import { logChange } from './change-log.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { describeCause } from './failure-causes.ts';
import { readFormField, readQueryParameter } from './forms.ts';
import { hostOf } from './need.ts';
import { toOperationContext } from './operations.ts';
import { redirectAfterForm } from './pages.ts';
import { WEBHOOKS_PATH } from './paths.ts';
import { getScope } from './shell.ts';
import { countOf, formatCount, formatMinute } from './times.ts';
import { webhookApiPath, webhookPath, withWebhook } from './webhook-operations.ts';
import type { Webhook } from './webhook-operations.ts';

/** Given-up messages of a span of time on their way to being sent again, batch by batch, as the address says it. */
interface Run {
  readonly since: Date;
  readonly until: Date;
  readonly id: string;
  /** How many were sent again so far; undefined before it begins. */
  readonly done: number | undefined;
}

/** How many messages were given up since an instant, and, once it has begun, how far the run has come. */
export const showRedelivery = withWebhook(async (context, request, response, webhook) => {
  const read = (name: string): string => readQueryParameter(request, name) ?? '';
  const run = readRun(read, context.clock());
  const isOwn = matchesDigest(read('proof'), sha256Digest(proofOf(response, webhook, run)));
  await sendRedelivery(context, response, webhook, isOwn ? run : { ...run, done: undefined });
});

/** Sends the next batch again: 303 to the page that shows the progress and goes on. */
export const continueRedelivery = withWebhook(async (context, request, response, webhook) => {
  const run = readFormRun(request, context.clock());
  const operation = toOperationContext(context, response, 'redeliver');
  const key = { ...run, webhookId: webhook.id };
  try {
    const count = await redeliverBatch(operation, key);
    logChange(context, response, `${countOf(count, 'message')} redelivered.`, { id: webhook.id });
    const next = { ...run, done: (run.done ?? 0) + count };
    const query = { ...toQuery(next), proof: proofOf(response, webhook, next) };
    redirectAfterForm(response, webhookPath(getScope(response), webhook.id, 'redeliver/', query));
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'quota_reached')) throw error;
    await sendRedelivery(context, response, webhook, run, error.message);
  }
});

/**
 * Says that the form of this session has led to the address of a run: its page goes on by itself. Any other address, which somebody else may have
 * written, shows a count and a button.
 */
function proofOf(response: PortalResponse, { id }: Webhook, run: Run): string {
  const text = JSON.stringify([id, toQuery(run)]);
  return createHmac('sha256', getSession(response).csrfSecret).update(text).digest('base64url');
}

function readFormRun(request: Request, now: Date): Run {
  return readRun((name) => readFormField(request, name), now);
}

function readRun(read: (name: string) => string, now: Date): Run {
  const done = /^\d{1,7}$/.test(read('done')) ? Number(read('done')) : undefined;
  const id = read('run').toLowerCase();
  return {
    since: tryParseInstant(read('since')) ?? new Date(now.getTime() - DAY_MS),
    until: (done === undefined ? undefined : tryParseInstant(read('until'))) ?? now,
    id: isUuid(id) ? id : randomUUID(),
    done,
  };
}

function toQuery({ since, until, id, done }: Run): Readonly<Record<string, string>> {
  return {
    since: since.toISOString(),
    until: until.toISOString(),
    run: id,
    ...(done === undefined ? {} : { done: String(done) }),
  };
}

async function sendRedelivery(
  context: PortalContext,
  response: PortalResponse,
  webhook: Webhook,
  run: Run,
  refusal?: string,
): Promise<void> {
  const scope = getScope(response);
  const operation = toOperationContext(context, response, 'redeliver');
  const left = await countRedeliveries(operation, { ...run, webhookId: webhook.id });
  const { done } = run;
  const hasBegun = done !== undefined;
  const isDone = hasBegun && left === 0;
  sendView(response, refusal === undefined ? 200 : 422, 'redelivery', {
    sentence: `To ${hostOf(webhook.url)}: messages that were queued since ${formatMinute(run.since)} UTC and given up, of the topics to which it is subscribed, the oldest first, each once.`,
    refusal,
    stillFailing: isDone ? undefined : await describeFailing(context, scope.orgId, webhook),
    cannot: webhook.enabled ? undefined : 'The webhook is disabled. Enable it first.',
    count: describeCount(left),
    progress: hasBegun ? describeProgress(done, left) : undefined,
    hasBegun,
    isDone,
    goesOn: hasBegun && !isDone && refusal === undefined && webhook.enabled,
    hidden: toQuery(run),
    left,
    sinceField: {
      name: 'since',
      label: 'Queued since, UTC',
      type: 'datetime-local',
      value: run.since.toISOString().slice(0, 16),
    },
    org: scope.kind === 'own' ? undefined : scope.orgId,
    path: webhookPath(scope, webhook.id, 'redeliver/'),
    searchPath: `${WEBHOOKS_PATH}${webhook.id}/redeliver/`,
    logPath: webhookPath(scope, webhook.id, 'deliveries/'),
    call: formatApiCall(context.baseUrl, {
      method: 'POST',
      path: webhookApiPath(scope, webhook.id, '/deliveries/$MESSAGE_ID/redeliver'),
    }),
  });
}

/** That what is sent again now most likely fails too; undefined while nothing says so. */
async function describeFailing(
  { reads }: PortalContext,
  orgId: string,
  { id }: Webhook,
): Promise<string | undefined> {
  const [failing] = await reads.listFailingWebhooks(orgId, [id]);
  if (failing === undefined) return undefined;
  const { title, cure } = describeCause(failing.errorClass, failing.statusCode);
  return `Its latest ${countOf(failing.attempts, 'attempt')} failed, the last one with: ${title}. ${cure} What is sent again before that most likely fails too.`;
}

const describeLeft = (left: number): string =>
  left >= MOST_COUNTED ? `${formatCount(MOST_COUNTED)} or more messages` : countOf(left, 'message');

function describeCount(left: number): string {
  return left === 0 ? 'No such message was given up.' : `${describeLeft(left)} can be sent again.`;
}

function describeProgress(done: number, left: number) {
  const all = done + left;
  return {
    progress: all === 0 ? 100 : Math.round((100 * done) / all),
    text: `${countOf(done, 'message')} sent again${left === 0 ? '' : `, ${describeLeft(left)} left`}`,
  };
}
