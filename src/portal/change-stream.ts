import type { Response } from 'express';
import { MINUTE_MS } from '../domain/api/durations.ts';
import type { EventStream } from '../contract/event-stream.ts';
import { mayCall } from '../domain/users/roles.ts';
import { streamEvents } from '../operations/events.ts';
import type { PageHandler, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { toOperationContext } from './operations.ts';
import { CHANGES_PATH } from './paths.ts';
import { scopedPath } from './scopes.ts';
import { getScope } from './shell.ts';

/** Then it ends: browsers ask again by themselves, and whoever may not listen any more is refused. */
const LONGEST_MS = MINUTE_MS;
/** Pages take this part of the partner's event streams at most, so that the others are there for its programs. */
const SHARE_OF_STREAMS = 1 / 2;

/** Where a page hears that something has happened in its scope; undefined for a role that may not listen. */
export function findChangesPath(response: PortalResponse): string | undefined {
  return mayCall(getSession(response).role, 'streamEvents')
    ? scopedPath(getScope(response), CHANGES_PATH)
    : undefined;
}

/** Tells a page that something has happened in its scope, and not what: it asks for itself again. */
export const streamChanges: PageHandler = async (context, _request, response) => {
  const operation = toOperationContext(context, response, 'streamEvents');
  const quotas = {
    ...operation.quotas,
    event_streams: Math.floor(operation.quotas.event_streams * SHARE_OF_STREAMS),
  };
  const { body } = await streamEvents(
    { ...operation, quotas },
    {
      path: { org_id: operation.orgId },
      query: {},
      headers: {},
      body: undefined,
      answerType: 'text/event-stream',
    },
  );
  await writeChanges(response, body);
};

/** Writes a line for what happens until the browser leaves, the service stops or the time is over; then it lets the stream go. */
export async function writeChanges(
  response: Response,
  stream: EventStream,
  longestMs = LONGEST_MS,
): Promise<void> {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  const end = setTimeout(leave, longestMs);
  response.once('close', leave);
  // A browser may leave while its answer is prepared, and is not heard of again.
  if (response.destroyed) leave();
  try {
    // A proxy that collects an answer before it passes it on would delay it.
    response.setHeader('X-Accel-Buffering', 'no').setHeader('Content-Type', 'text/event-stream');
    response.flushHeaders();
    const events = stream.events(gone.signal, () => response.destroy())[Symbol.asyncIterator]();
    // All say the same: one that was not read yet is enough.
    while ((await events.next()).done !== true) {
      if (!response.writableNeedDrain) response.write('data: changed\n\n');
    }
    response.end();
  } finally {
    clearTimeout(end);
    stream.release();
  }
}
