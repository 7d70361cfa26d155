import type { Response } from 'express';
import type { EventStream, StreamedEvent } from '../contract/event-stream.ts';
import type { CallerRules } from './caller-rules.ts';
import { ENDLESS } from './connection.ts';
import { endInTurn } from './end-turns.ts';
import { waitForDrain } from './wait-for-drain.ts';

/** Keeps proxies from closing a silent connection, and shows the client that the connection is open. */
const HEARTBEAT_MS = 15_000;
/** How long a client waits before it connects again. */
const RETRY_MS = 1_000;

/** The last line of a stream that ends as nobody knows whether its caller may still listen. */
const UNANSWERED_COMMENT =
  ': The database does not answer, so the token cannot be checked. Connect again with Last-Event-ID.\n\n';

/**
 * Writes events (HTML standard, 9.2) until the client goes, the service stops or the caller may not listen any more. A
 * client that reads slowly holds back its own events: the next one is requested when the client has read the last; one that
 * leaves too many is cut off. The stream is the last answer of its connection.
 */
export async function sendEventStream(
  response: Response,
  stream: EventStream,
  rules: CallerRules,
  heartbeatMs = HEARTBEAT_MS,
): Promise<void> {
  try {
    response.setHeader('Content-Type', 'text/event-stream');
    if (response.req.method === 'HEAD') {
      response.end();
      return;
    }
    response.setHeader('Connection', 'close');
    response.emit(ENDLESS);
    await writeEvents(response, stream, rules, heartbeatMs);
  } finally {
    stream.release();
  }
}

async function writeEvents(
  response: Response,
  stream: EventStream,
  { isStillAllowed, watchCaller }: CallerRules,
  heartbeatMs: number,
): Promise<void> {
  // A failed check ends the stream too: the client connects again and gets the reason.
  const isAllowedNow = (): Promise<boolean> => isStillAllowed().catch(() => false);
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  // Who does not read would not see the end either.
  const cut = (): void => {
    if (response.writableNeedDrain) response.destroy();
  };
  response.once('close', leave);
  // A client may leave while its answer is prepared, and is not heard of again.
  if (response.destroyed) leave();
  stream.stopped.addEventListener('abort', cut);
  let lastLine: string | undefined;
  const unwatch = watchCaller((reason) => {
    if (reason === 'unanswered') lastLine = UNANSWERED_COMMENT;
    endInTurn(response, () => {
      leave();
      cut();
    });
  });
  const heart = setInterval(() => {
    if (!response.writableNeedDrain) response.write(':\n\n');
  }, heartbeatMs);
  try {
    response.write(`retry: ${RETRY_MS}\n\n`);
    for await (const event of stream.events(gone.signal, () => response.destroy())) {
      if (!(await isAllowedNow())) break;
      if (!response.write(formatEvent(event))) await waitForDrain(response);
      if (response.destroyed) return;
    }
    response.end(lastLine);
  } finally {
    clearInterval(heart);
    unwatch();
    stream.stopped.removeEventListener('abort', cut);
  }
}

function formatEvent({ id, data }: StreamedEvent): string {
  return `id: ${id}\ndata: ${data.replaceAll('\n', '\ndata: ')}\n\n`;
}
