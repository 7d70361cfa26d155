import { setImmediate } from 'node:timers/promises';
import type { Response } from 'express';
import { EventStream } from '../contract/event-stream.ts';
import { JsonBytes } from '../contract/json-bytes.ts';
import { StreamedBytes } from '../contract/streamed-bytes.ts';
import type { OperationReply } from '../contract/handlers.ts';
import { AlreadyAnsweredError, isGivenUp } from './given-up.ts';
import { waitForDrain } from './wait-for-drain.ts';
import { sendEventStream } from './event-stream.ts';
import type { StreamRules } from './event-stream.ts';
import { sendJson, sendJsonBytes } from './problems.ts';
import { sendStreamedBytes } from './streamed-bytes.ts';

export interface ReplyRules {
  /** Needed for event streams, which operations with a token alone return. */
  readonly stream?: StreamRules;
  readonly lists: ListShares;
}

/** What a caller may have of the lists that are streamed; each resolves to the function that gives it back. */
export interface ListShares {
  /** For a list, from its beginning to its end. */
  readonly acquireList: () => Promise<() => void>;
  /** For reading and writing a chunk of one; nothing is held while the client reads. */
  readonly acquireChunk: () => Promise<() => void>;
}

/**
 * Sends what an operation returned. An async iterable, be it the body or a member of it, becomes a JSON array in constant
 * memory, once there is a share for it.
 * @throws Problem overloaded (503) when there is no share for a streamed list in time; AlreadyAnsweredError; what a list throws.
 */
export async function sendReply(
  response: Response,
  reply: OperationReply,
  { stream, lists }: ReplyRules,
): Promise<void> {
  if (isGivenUp(response)) {
    if (reply.body instanceof EventStream) reply.body.release();
    throw new AlreadyAnsweredError();
  }
  const { headers } = reply;
  if (typeof headers === 'object') response.set(headers);
  if (reply.body === undefined) {
    response.status(reply.status).end();
  } else if (reply.body instanceof EventStream) {
    if (stream === undefined) throw new Error('An event stream needs a caller that may listen.');
    await sendEventStream(response, reply.body, stream);
  } else if (reply.body instanceof JsonBytes) {
    sendJsonBytes(response, reply.status, 'application/json', reply.body.bytes);
  } else if (reply.body instanceof StreamedBytes) {
    const release = await lists.acquireList();
    try {
      await sendStreamedBytes(response, reply.status, reply.body);
    } finally {
      release();
    }
  } else if (hasStreamedList(reply.body)) {
    const release = await lists.acquireList();
    try {
      await sendJsonParts(response, reply, toJsonParts(reply.body), lists.acquireChunk);
    } finally {
      release();
    }
  } else {
    sendJson(response, reply.status, 'application/json', reply.body);
  }
}

function hasStreamedList(body: unknown): body is object {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  return isAsyncIterable(body) || Object.values(body).some(isAsyncIterable);
}

async function* toJsonParts(body: object): AsyncGenerator<string> {
  if (isAsyncIterable(body)) {
    yield* toArrayParts(body);
    return;
  }
  let separator = '{';
  for (const [name, member] of Object.entries(body) as [string, unknown][]) {
    if (member === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    if (isAsyncIterable(member)) yield* toArrayParts(member);
    else yield JSON.stringify(member);
    separator = ',';
  }
  yield '}';
}

async function* toArrayParts(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  let separator = '[';
  for await (const item of items) {
    yield separator + JSON.stringify(item);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

const CHUNK_CHARACTERS = 32_768;

/** Until a chunk is written an error can still be answered as a problem, which sets a status and a type of its own. */
async function sendJsonParts(
  response: Response,
  { status, headers }: OperationReply,
  parts: AsyncGenerator<string>,
  acquireChunk: ListShares['acquireChunk'],
): Promise<void> {
  const setLateHeaders = (): void => {
    if (typeof headers === 'function' && !response.headersSent) response.set(headers());
  };
  let release = await acquireChunk();
  try {
    response.statusCode = status;
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    let text = '';
    for await (const part of parts) {
      text += part;
      if (text.length < CHUNK_CHARACTERS) continue;
      setLateHeaders();
      response.write(text);
      text = '';
      // Given back a turn of the event loop later: the next chunk, of whichever list, is not made in this one.
      await setImmediate();
      release();
      if (response.writableNeedDrain) await waitForDrain(response);
      if (response.destroyed) return;
      // Its head is known, and it has no more.
      if (response.req.method === 'HEAD') break;
      release = await acquireChunk();
    }
    setLateHeaders();
    response.end(text);
  } finally {
    release();
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
