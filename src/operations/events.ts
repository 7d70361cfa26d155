import { EventStream } from '../contract/event-stream.ts';
import type { StreamedEvent } from '../contract/event-stream.ts';
import type { Handler } from '../contract/handlers.ts';
import { validationProblem, Problem } from '../domain/api/problem.ts';
import {
  findStreamCursor,
  readStreamEndCursor,
  listAnnouncedMessages,
} from '../queries/notifications/events.ts';
import type { StreamCursor } from '../queries/notifications/events.ts';
import type { Context } from './context.ts';

const BATCH = 100;
/** News of one moment are read together: with many messages a stream asks this often, and not for each of them. */
const GATHER_MS = 25;
/** When to look again for what a transaction under way holds back. */
const SOON_MS = 25;
/** The table is looked at this often at least, should a wake-up be lost. */
const POLL_MS = 5_000;
/** Open streams of a partner and its simulation organizations in one process: each asks the database for itself. */
export const mostStreams = 50;
/** When to try again; nobody knows when a stream ends. */
const RETRY_SECONDS = 30;

export const streamEvents: Handler<Context, 'streamEvents'> = async (context, { headers }) => {
  const { db, orgId, events, actor } = context;
  const last = headers['Last-Event-ID'];
  const place =
    last === undefined
      ? await readStreamEndCursor(db)
      : await findStreamCursor(db, orgId, last.toLowerCase());
  if (place === undefined) {
    const detail = 'No message of this organization has this id; leave the header out to start anew.';
    throw validationProblem([{ parameter: 'Last-Event-ID', in: 'header', code: 'unknown_event', detail }]);
  }
  const release = events.reserveStream(actor.orgId, mostStreams);
  if (release === undefined) {
    const detail = `${mostStreams} event streams are open already; close one, or try again in ${RETRY_SECONDS} s.`;
    throw new Problem('quota_exceeded', detail, { headers: { 'Retry-After': String(RETRY_SECONDS) } });
  }
  return {
    status: 200,
    // A proxy that gathers an answer before it passes it on would hold events back.
    headers: { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
    body: new EventStream((gone) => eventsBehind(context, place, gone), events.stopSignal, release),
  };
};

async function* eventsBehind(
  { db, orgId, events }: Context,
  start: StreamCursor,
  gone: AbortSignal,
): AsyncGenerator<StreamedEvent> {
  let place = start;
  while (!gone.aborted && !events.stopSignal.aborted) {
    const { newsCount } = events;
    const { messages, more } = await listAnnouncedMessages(db, orgId, place, BATCH);
    for (const message of messages) {
      yield { id: message.id, data: message.payload.toString('utf8') };
      place = message;
    }
    if (more === 'now') continue;
    await events.waitForNews(newsCount, more === 'soon' ? SOON_MS : POLL_MS, gone);
    await events.pause(GATHER_MS, gone);
  }
}
