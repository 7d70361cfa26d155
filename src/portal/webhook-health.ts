import { HOUR_MS } from '../domain/api/durations.ts';
import { MOST_ATTEMPTS_OF_MESSAGE } from '../domain/notifications/webhook-statistics.ts';
import type { FailureGroup, WebhookStatistics } from '../domain/notifications/webhook-statistics.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { tabulateChart } from './day-chart.ts';
import { describeCause } from './failure-causes.ts';
import { getScope } from './shell.ts';
import { countOf, formatAgo, formatCount, formatMinute } from './times.ts';
import { chartAttempts, encodeAttempts, startOfHours } from './webhook-chart.ts';
import { webhookPath, withWebhook } from './webhook-operations.ts';

const SECONDS_OF_HOUR = HOUR_MS / 1_000;

/** How a webhook has done in the last 24 hours, in a sentence, a picture and the causes of its failures. */
export async function readHealth(context: PortalContext, response: PortalResponse, webhookId: string) {
  const scope = getScope(response);
  const now = context.clock();
  const since = startOfHours(now);
  const statistics = await readStatistics(context, response, webhookId, since);
  const chart = chartAttempts(statistics.periods, since);
  return {
    sentence: describeHealth(statistics),
    scopeText: describeCovered(statistics),
    causes: statistics.failures.map((group) => describeGroup(group, now)),
    picture:
      statistics.periods.length === 0
        ? undefined
        : {
            chart,
            dayName: 'Attempts of 24 hours',
            table: tabulateChart(chart),
            csvPath: webhookPath(scope, webhookId, 'attempts.csv'),
          },
  };
}

function readStatistics(
  { reads }: PortalContext,
  response: PortalResponse,
  webhookId: string,
  since: Date,
): Promise<WebhookStatistics> {
  const { orgId } = getScope(response);
  return reads.readWebhookStatistics({ orgId, webhookId, since, periodSeconds: SECONDS_OF_HOUR });
}

function describeHealth({ periods, messages }: WebhookStatistics): string {
  if (messages === 0) return 'Nothing was to be sent to it in the last 24 hours.';
  const sum = (read: (period: (typeof periods)[number]) => number): number =>
    periods.reduce((total, period) => total + read(period), 0);
  const [accepted, failed] = [sum((each) => each.accepted), sum((each) => each.failed)];
  const attempts = `Of ${countOf(accepted + failed, 'attempt')} in the last 24 hours`;
  return failed === 0 ? `${attempts} none failed.` : `${attempts} ${formatCount(failed)} failed.`;
}

/** From what the figures come. */
function describeCovered({ messages, isCapped, hasOlderAttempts }: WebhookStatistics): string {
  const covered = isCapped
    ? `Of the newest ${countOf(messages, 'message')} of the last 24 hours; earlier ones are in the log.`
    : 'Of all messages that were queued in the last 24 hours; earlier ones are in the log.';
  const counted = `Of a message that was sent again and again the newest ${MOST_ATTEMPTS_OF_MESSAGE} attempts count.`;
  return hasOlderAttempts ? `${covered} ${counted}` : covered;
}

function describeGroup(group: FailureGroup, now: Date) {
  const { errorClass, statusCode, attempts, messages, givenUp, pending, firstAt, lastAt } = group;
  const { title, cure } = describeCause(errorClass, statusCode);
  const isOver = givenUp === 0 && pending === 0;
  const left = [
    ...(givenUp > 0 ? [`${formatCount(givenUp)} given up`] : []),
    ...(pending > 0 ? [`${formatCount(pending)} still tried, ${describeNext(group, now)}`] : []),
  ];
  return {
    kind: isOver ? 'ok' : givenUp > 0 ? 'error' : 'warning',
    title: `${title}: ${countOf(attempts, 'attempt')} of ${countOf(messages, 'message')}`,
    state: isOver ? 'All of them have arrived since.' : `${left.join(', ')}.`,
    cure,
    since: { text: `first ${formatMinute(firstAt)} UTC`, at: firstAt.toISOString() },
    last: { text: `last ${formatMinute(lastAt)} UTC (${formatAgo(lastAt, now)})`, at: lastAt.toISOString() },
  };
}

/** When a message of the group is tried again. */
function describeNext({ nextAt }: FailureGroup, now: Date): string {
  return nextAt === null || nextAt <= now
    ? 'the next attempt is due now'
    : `the next attempt at ${formatMinute(nextAt)} UTC`;
}

/** The picture as a file. */
export const sendAttemptsCsv: PageHandler = withWebhook(async (context, _request, response, { id }) => {
  const since = startOfHours(context.clock());
  const { periods } = await readStatistics(context, response, id, since);
  response.attachment('attempts.csv').type('text/csv').send(encodeAttempts(periods, since));
});
