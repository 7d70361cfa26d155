import { EventStream } from '../contract/event-stream.ts';
import type { Handler } from '../contract/handlers.ts';
import { validationProblem, Problem } from '../domain/api/problem.ts';
import { findStreamCursor, readStreamEndCursor } from '../queries/notifications/events.ts';
import { findQuota } from '../queries/accounts/quotas.ts';
import type { Context } from './context.ts';

/** The Retry-After of a refused stream; when another one ends cannot be known. */
const RETRY_SECONDS = 30;

/**
 * Streams the organization's messages as server-sent events, from now on or behind Last-Event-ID. 422 `unknown_event`
 * when no message has that id, 429 `quota_exceeded` when the partner has too many streams open, 503 `overloaded` when the
 * process has.
 */
export const streamEvents: Handler<Context, 'streamEvents'> = async (context, { headers }) => ({
  status: 200,
  // A proxy that collects an answer before it passes it on would delay events.
  headers: { 'X-Accel-Buffering': 'no' },
  body: await openEventStream(context, headers['Last-Event-ID']),
});

/** The same stream, within a part of those that the partner may have. Throws the same problems. */
export async function openEventStream(
  context: Context,
  lastEventId?: string,
  shareOfStreams = 1,
): Promise<EventStream> {
  const { db, orgId, events: feed, actor, quotas } = context;
  const start =
    lastEventId === undefined
      ? await readStreamEndCursor(db)
      : await findStreamCursor(db, orgId, lastEventId.toLowerCase());
  if (start === undefined) {
    const detail = 'No message of this organization has this id; leave the header out to start anew.';
    throw validationProblem([{ parameter: 'Last-Event-ID', in: 'header', code: 'unknown_event', detail }]);
  }
  const quota = await findQuota(db, actor.partnerId, 'event_streams', quotas.event_streams);
  const limit = Math.floor(quota * shareOfStreams);
  const release = feed.reserveStream(actor.partnerId, limit);
  if (release === undefined) throw tooManyStreamsProblem(limit, feed.isFull);
  return new EventStream(
    (gone, cut) => {
      const { partnerId } = actor;
      return feed.listen({ partnerId, orgId, start, replays: lastEventId !== undefined }, gone, cut);
    },
    feed.stopSignal,
    release,
  );
}

function tooManyStreamsProblem(limit: number, isProcessFull: boolean): Problem {
  const headers = { 'Retry-After': String(RETRY_SECONDS) };
  return isProcessFull
    ? new Problem(
        'overloaded',
        `All event streams of this process are in use; try again in ${RETRY_SECONDS} s.`,
        { headers },
      )
    : new Problem(
        'quota_exceeded',
        `${limit} event streams are open already; close one, or try again in ${RETRY_SECONDS} s.`,
        { headers },
      );
}
