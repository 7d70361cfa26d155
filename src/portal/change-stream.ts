import type { Response } from 'express';
import { MINUTE_MS } from '../domain/api/durations.ts';
import type { EventStream } from '../contract/event-stream.ts';
import { mayCall } from '../domain/users/roles.ts';
import { openEventStream } from '../operations/events.ts';
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

/**
 * Tells a page that something has happened in its scope, and not what: it asks for itself again. A simulation goes by what comes in
 * for the own organization too, such as prices.
 */
export const streamChanges: PageHandler = async (context, _request, response) => {
  const operation = toOperationContext(context, response, 'streamEvents');
  const stream = await openEventStream(operation, undefined, SHARE_OF_STREAMS);
  const orgIds = [...new Set([operation.orgId, getSession(response).orgId])];
  await writeChanges(response, stream, (onChange) => context.changes.listen(orgIds, onChange));
};

/** Writes a line for what happens, and for each change that `listen` tells of, until the browser leaves, the service stops or the time is over; then it lets the stream go. */
export async function writeChanges(
  response: Response,
  stream: EventStream,
  listen: (onChange: () => void) => () => void,
  longestMs = LONGEST_MS,
): Promise<void> {
  // All say the same: one that was not read yet is enough.
  const write = (): void => {
    if (!response.writableNeedDrain) response.write('data: changed\n\n');
  };
  let stopListening = (): void => undefined;
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  const end = setTimeout(leave, longestMs);
  response.once('close', leave);
  // A browser may leave while its answer is prepared, and is not heard of again.
  if (response.destroyed) leave();
  try {
    // A proxy that collects an answer before it passes it on would delay it.
    response.setHeader('X-Accel-Buffering', 'no').setHeader('Content-Type', 'text/event-stream');
    if (response.req.method === 'HEAD') {
      response.end();
      return;
    }
    response.flushHeaders();
    stopListening = listen(write);
    const events = stream.events(gone.signal, () => response.destroy())[Symbol.asyncIterator]();
    while ((await events.next()).done !== true) write();
    stopListening();
    response.end();
  } finally {
    stopListening();
    clearTimeout(end);
    stream.release();
  }
}
