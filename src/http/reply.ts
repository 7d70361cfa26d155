import type { Response } from 'express';
import { EventStream } from '../contract/event-stream.ts';
import { JsonBytes } from '../contract/json-bytes.ts';
import type { OperationReply } from '../contract/handlers.ts';
import { waitForDrain } from './wait-for-drain.ts';
import { sendEventStream } from './event-stream.ts';
import type { StreamRules } from './event-stream.ts';
import { sendJson, sendJsonBytes } from './problems.ts';

export interface ReplyRules {
  /** Needed for event streams, which operations with a token alone return. */
  readonly stream?: StreamRules;
  /** Resolves when a list may be streamed, to the function that says that it is over. */
  readonly takeShare: () => Promise<() => void>;
}

/**
 * Sends what an operation returned. An async iterable, be it the body or a member of it, becomes a JSON array in constant
 * memory, once `takeShare` has given it a turn among those that are being sent.
 * @throws Problem overloaded (503) when there is no turn for a streamed list in time; what a list throws.
 */
export async function sendReply(
  response: Response,
  reply: OperationReply,
  { stream, takeShare }: ReplyRules,
): Promise<void> {
  if (reply.headers !== undefined) response.set(reply.headers);
  if (reply.body === undefined) {
    response.status(reply.status).end();
  } else if (reply.body instanceof EventStream) {
    if (stream === undefined) throw new Error('An event stream needs a caller that may listen.');
    await sendEventStream(response, reply.body, stream);
  } else if (reply.body instanceof JsonBytes) {
    sendJsonBytes(response, reply.status, 'application/json', reply.body.bytes);
  } else if (hasStreamedList(reply.body)) {
    const release = await takeShare();
    try {
      await sendJsonParts(response, reply.status, toJsonParts(reply.body));
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
  status: number,
  parts: AsyncGenerator<string>,
): Promise<void> {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  let text = '';
  for await (const part of parts) {
    text += part;
    if (text.length < CHUNK_CHARACTERS) continue;
    if (!response.write(text)) await waitForDrain(response);
    if (response.destroyed) return;
    text = '';
    // Its head is known, and it has no more.
    if (response.req.method === 'HEAD') break;
  }
  response.end(text);
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
