import type { Response } from 'express';
import { EventStream } from '../contract/event-stream.ts';
import { JsonBytes } from '../contract/json-bytes.ts';
import type { OperationReply } from '../contract/handlers.ts';
import { waitForDrain } from './wait-for-drain.ts';
import { sendEventStream } from './event-stream.ts';
import { sendJson, sendJsonBytes } from './problems.ts';

export interface ReplyRules {
  readonly isStillAllowed: () => Promise<boolean>;
  /** Resolves when a list may be streamed, to the function that says that it is over. */
  readonly takeShare: () => Promise<() => void>;
}

/**
 * Sends what an operation returned. An async iterable becomes a JSON array in constant memory, once `takeShare` has given it
 * a turn among those that are being sent. `isStillAllowed` is asked while an answer lasts that has no end of its own.
 * @throws Problem overloaded (503) when there is no turn for a streamed list in time.
 */
export async function sendReply(
  response: Response,
  reply: OperationReply,
  { isStillAllowed, takeShare }: ReplyRules,
): Promise<void> {
  if (reply.headers !== undefined) response.set(reply.headers);
  if (reply.body === undefined) {
    response.status(reply.status).end();
  } else if (reply.body instanceof EventStream) {
    await sendEventStream(response, reply.body, isStillAllowed);
  } else if (reply.body instanceof JsonBytes) {
    sendJsonBytes(response, reply.status, 'application/json', reply.body.bytes);
  } else if (isAsyncIterable(reply.body)) {
    const release = await takeShare();
    try {
      await sendJsonArray(response, reply.status, reply.body);
    } finally {
      release();
    }
  } else {
    sendJson(response, reply.status, 'application/json', reply.body);
  }
}

const CHUNK_CHARACTERS = 32_768;

async function sendJsonArray(
  response: Response,
  status: number,
  items: AsyncIterable<unknown>,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    // An error before the first item can still be answered as a problem.
    let next = await iterator.next();
    response.statusCode = status;
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    let text = '[';
    for (let separator = ''; next.done !== true; separator = ',') {
      text += separator + JSON.stringify(next.value);
      if (text.length >= CHUNK_CHARACTERS) {
        if (!response.write(text)) await waitForDrain(response);
        if (response.destroyed) return;
        text = '';
      }
      next = await iterator.next();
    }
    response.end(`${text}]`);
  } finally {
    await iterator.return?.();
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
