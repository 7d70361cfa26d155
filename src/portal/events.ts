import type { Request } from 'express';
import { isUuid } from '../domain/api/formats.ts';
import type { RecentEvent } from '../domain/notifications/recent-event.ts';
import { isTopic, TOPICS } from '../domain/notifications/topics.ts';
import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import type { PageHandler } from './context.ts';
import { readQueryParameter } from './forms.ts';
import { describeLive } from './live.ts';
import { EVENTS_PATH } from './paths.ts';
import { formatPayload } from './payloads.ts';
import { scopedPath } from './scopes.ts';
import { getScope } from './shell.ts';
import { toShortTopic, toWords } from './words.ts';

/** Events of the page; the script lets older ones go as new ones come. */
const MOST_EVENTS = 200;

/** What was told last, newest first. The script asks for what came behind an event that it knows, and shows it as it comes. */
export const showEvents: PageHandler = async (context, request, response) => {
  const scope = getScope(response);
  const topic = readTopic(request);
  const after = readQueryParameter(request, 'after');
  const filter = { topic, after: after !== undefined && isUuid(after) ? after : undefined };
  const events = await context.reads.listEvents(scope.orgId, filter, MOST_EVENTS);
  sendView(response, 200, 'events', {
    sentence: `What is told of the devices of ${scope.name}, to webhooks and event streams alike, as it happens.`,
    live: describeLive(response, context.clock()),
    most: MOST_EVENTS,
    hasEvents: true,
    filterAction: EVENTS_PATH,
    org: scope.kind === 'own' ? undefined : scope.orgId,
    topic: topic ?? '',
    topics: { '': 'All', ...Object.fromEntries(TOPICS.map((each) => [each, toShortTopic(each)])) },
    all: scopedPath(scope, EVENTS_PATH),
    events: events.map(describeEvent),
    call: formatApiCall(context.baseUrl, { method: 'GET', path: `/org/${scope.orgId}/notifications/events` }),
  });
};

function readTopic(request: Request): string | undefined {
  const topic = readQueryParameter(request, 'topic') ?? '';
  return isTopic(topic) ? topic : undefined;
}

interface Envelope {
  readonly data?: {
    readonly device_type?: string;
    readonly device_id?: string;
    readonly action?: string;
    readonly notice?: string;
  };
}

function describeEvent({ id, topic, at, payload }: RecentEvent) {
  const { data = {} } = JSON.parse(payload.toString('utf8')) as Envelope;
  const time = at.toISOString();
  return {
    id,
    topic: toShortTopic(topic),
    at: time,
    text: `${time.slice(0, 10)} ${time.slice(11, 23)}`,
    what: toWords(data.action ?? data.notice ?? ''),
    device: toWords(data.device_type ?? ''),
    deviceId: data.device_id ?? '',
    payload: formatPayload(payload),
  };
}
