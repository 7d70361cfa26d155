import { setImmediate } from 'node:timers/promises';
import type { Response } from 'express';
import { EventStream } from '../contract/event-stream.ts';
import { JsonBytes } from '../contract/json-bytes.ts';
import { StreamedBytes } from '../contract/streamed-bytes.ts';
import type { OperationReply } from '../contract/handlers.ts';
import { runWith } from '../shares/held-units.ts';
import { AlreadyAnsweredError, isGivenUp, isUnwanted, waitWhileWanted } from './given-up.ts';
import { waitForDrain } from './wait-for-drain.ts';
import { sendEventStream } from './event-stream.ts';
import { mayGoOn } from './caller-rules.ts';
import type { CallerRules } from './caller-rules.ts';
import { CACHE_CONTROL } from './cache-control.ts';
import { AnswerCoder, sendCodedJson } from './coded-answer.ts';
import type { AnswerCoding } from './coded-answer.ts';
import { sendTagged } from './tagged-answer.ts';
import { sendStreamedBytes } from './streamed-bytes.ts';

export interface ReplyRules {
  /** Whether the answer has an entity tag. */
  readonly isTagged?: boolean;
  /** What caches may do with an answer that has one. */
  readonly cacheControl?: string;
  /** How the client wants it to be coded. */
  readonly coding?: AnswerCoding | undefined;
  /** Of operations with a token, which alone return event streams. */
  readonly caller?: CallerRules | undefined;
  readonly lists: ListShares;
}

/** What a caller may have of the lists that are streamed; each resolves to the function that gives it back, or throws the signal's reason. */
export interface ListShares {
  /** For a list, from its beginning to its end. */
  readonly acquireList: (signal: AbortSignal) => Promise<() => void>;
  /** For reading and writing a chunk of one; nothing is held while the client reads. */
  readonly acquireChunk: (signal: AbortSignal) => Promise<() => void>;
}

/**
 * Sends what an operation returned. An async iterable, be it the body or a member of it, becomes a JSON array in constant
 * memory, once there is a share for it.
 * @throws Problem overloaded (503) when there is no share for a streamed list in time; AlreadyAnsweredError; what a list throws.
 */
export async function sendReply(
  response: Response,
  reply: OperationReply,
  { isTagged = false, cacheControl, coding, caller, lists }: ReplyRules,
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
    if (caller === undefined) throw new Error('An event stream needs a caller that may listen.');
    await sendEventStream(response, reply.body, caller);
  } else if (reply.body instanceof JsonBytes) {
    await sendCodedJson(response, reply.status, reply.body.bytes, coding);
  } else if (reply.body instanceof StreamedBytes) {
    const { body } = reply;
    await inTurn(response, lists, () => sendStreamedBytes(response, reply.status, body, { coding, caller }));
  } else if (hasStreamedList(reply.body)) {
    const parts = toJsonParts(reply.body);
    await inTurn(response, lists, () =>
      sendJsonParts(response, reply, parts, { acquireChunk: lists.acquireChunk, coding, caller }),
    );
  } else if (isTagged) {
    const { NOTHING } = CACHE_CONTROL;
    const text = JSON.stringify(reply.body);
    await sendTagged(response, reply.status, text, { wanted: coding, cacheControl: cacheControl ?? NOTHING });
  } else {
    await sendCodedJson(response, reply.status, JSON.stringify(reply.body), coding);
  }
}

/** Sends a list once there is a share for it, which it holds until all is sent. */
function inTurn(response: Response, lists: ListShares, send: () => Promise<void>): Promise<void> {
  return runWith(() => waitWhileWanted(response, lists.acquireList), send);
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
  { acquireChunk, coding, caller }: Pick<ListShares, 'acquireChunk'> & Pick<ReplyRules, 'coding' | 'caller'>,
): Promise<void> {
  const setLateHeaders = (): void => {
    if (typeof headers === 'function' && !response.headersSent) response.set(headers());
  };
  const coder = new AnswerCoder(response, coding);
  let release: () => void = () => undefined;
  try {
    release = await waitWhileWanted(response, acquireChunk);
    response.statusCode = status;
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    let text = '';
    for await (const part of parts) {
      text += part;
      if (text.length < CHUNK_CHARACTERS) continue;
      setLateHeaders();
      const bytes = await coder.encode(text);
      if (isUnwanted(response)) return;
      response.write(bytes);
      text = '';
      // Given back a turn of the event loop later: the next chunk, of whichever list, is not made in this one.
      await setImmediate();
      release();
      if (response.writableNeedDrain) await waitForDrain(response);
      // Its head is known, and it has no more.
      if (response.req.method === 'HEAD') break;
      if (!(await mayGoOn(response, caller))) return;
      release = await waitWhileWanted(response, acquireChunk);
    }
    setLateHeaders();
    const last = await coder.end(text);
    if (!isUnwanted(response)) response.end(last);
  } finally {
    coder.close();
    release();
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
