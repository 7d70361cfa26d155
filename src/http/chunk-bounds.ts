import type { IncomingMessage, Server } from 'node:http';
import { performance } from 'node:perf_hooks';
import { Problem } from '../domain/api/problem.ts';
import { createChunkAccounts } from './chunk-account.ts';
import type { AddressChunks, ChunkAccount } from './chunk-account.ts';
import { dropBodyOfTurn, stopReading, stopRequests } from './stop-connection.ts';

export interface ChunkLimits extends AddressChunks {
  /** Chunks of a body, and for how many of its bytes it may have a further one. */
  readonly maxOfBody: number;
  readonly bytesOfFurther: number;
  /** Chunks that a body may bring in one turn of the event loop whatever others of its address bring. */
  readonly fewOfTurn: number;
}

/**
 * A body of 16 KiB that is written token by token has some 3,000 chunks, one of 8 MiB row by row some 10,000. A chunk takes 1 to
 * 2 µs of the event loop, whatever its length, so that an address takes 3 to 6 % of it in the long run.
 */
export const CHUNK_LIMITS: ChunkLimits = {
  maxOfBody: 4_096,
  bytesOfFurther: 64,
  maxOfAddress: 8_192,
  perMs: 32,
  fewOfTurn: 64,
};

/** A request emits this when the rest of its body is given up. */
export const CUT_OFF = 'cutOff';

/** Node.js keeps some 500 bytes for each chunk; up to this length it is copied to where many are together. */
const COPIED_BYTES = 1_024;
const RETRY_SECONDS = '2';

type Reason = 'chunks of the body' | 'chunks of the address';
const CUT_OFF_FOR = new WeakMap<IncomingMessage, Reason>();

/** Whether the rest of the body was given up: it never comes whole. */
export function isCutOff(request: IncomingMessage): boolean {
  return CUT_OFF_FOR.has(request);
}

/** Why the rest of the body was given up: payload_too_large (413) or overloaded (503); undefined where it was not. */
export function findCutOffProblem(request: IncomingMessage): Problem | undefined {
  const reason = CUT_OFF_FOR.get(request);
  if (reason === undefined) return undefined;
  const cure = 'send larger ones, or the body as a whole with Content-Length';
  const headers = { Connection: 'close' };
  if (reason === 'chunks of the body')
    return new Problem('payload_too_large', `The body comes in too many small chunks: ${cure}.`, { headers });
  return new Problem(
    'overloaded',
    `More small chunks came at once from the caller's address than are read: ${cure}, or repeat it after ${RETRY_SECONDS} s.`,
    { headers: { ...headers, 'Retry-After': RETRY_SECONDS } },
  );
}

/**
 * Bounds the chunks in which bodies come (RFC 9112, 7.1), since Node.js calls JavaScript for each, 10,900 times for 64 KiB of one byte
 * each: those of a body, and those that all bodies of an address bring. While the address has less than half of its chunks
 * left, no further part of its bodies is read; what comes in the same read as its head, and is beyond, cannot wait. Such a body, and one
 * of too many chunks, is given up: the rest is neither parsed nor read, and its connection ends with the answer.
 */
export function boundChunks(
  server: Server,
  addressOf: (request: IncomingMessage) => string,
  limits: ChunkLimits = CHUNK_LIMITS,
  monotonicMs: () => number = () => performance.now(),
): void {
  const accountOf = createChunkAccounts(limits, monotonicMs);
  const endsOfTurn = new EndsOfTurn();
  server.on('request', (request: IncomingMessage) => {
    if (request.headers['transfer-encoding'] === undefined) return;
    countChunks(request, new ChunkCount(accountOf(addressOf(request)), limits), endsOfTurn);
  });
}

/** Counts the chunks of a request, whoever reads them and whether or not anybody does. */
function countChunks(request: IncomingMessage, count: ChunkCount, endsOfTurn: EndsOfTurn): void {
  const push = request.push.bind(request);
  request.push = (chunk: Buffer | null): boolean => {
    if (isCutOff(request)) return false;
    if (chunk === null) return push(null);
    if (count.isFirstOfTurn()) {
      count.beginTurn();
      endsOfTurn.add(readOnInNextTurn(request, count));
    }
    const reason = count.take(chunk.length);
    if (reason === undefined) return push(chunk.length <= COPIED_BYTES ? Buffer.from(chunk) : chunk);
    cutOff(request, reason);
    return false;
  };
}

/**
 * One read for each body and turn: else Node.js reads on up to 2 MiB of it, if so much has come, before anybody else has a turn.
 * Returns what is to be done at the end of the turn.
 */
function readOnInNextTurn(request: IncomingMessage, count: ChunkCount): () => void {
  const { socket } = request;
  const stop = (): void => stopReading(socket);
  stop();
  // Whoever consumes the body lets Node.js read on.
  socket.on('resume', stop);
  const readOn = (): void => {
    socket.off('resume', stop);
    // Where nobody takes what has come, whoever does so later lets Node.js read on.
    if (request.complete || request.readableLength < request.readableHighWaterMark) socket.resume();
  };
  return () => {
    count.endTurn();
    if (isCutOff(request)) return;
    if (request.complete) readOn();
    else count.account.readOn(readOn);
  };
}

function cutOff(request: IncomingMessage, reason: Reason): void {
  CUT_OFF_FOR.set(request, reason);
  stopRequests(request.socket);
  dropBodyOfTurn(request.socket);
  request.emit(CUT_OFF);
}

/** The chunks of one body. */
class ChunkCount {
  readonly account: ChunkAccount;
  readonly #limits: ChunkLimits;
  #chunks = 0;
  #bytes = 0;
  #ofTurn = 0;

  constructor(account: ChunkAccount, limits: ChunkLimits) {
    this.account = account;
    this.#limits = limits;
  }

  isFirstOfTurn(): boolean {
    return this.#ofTurn === 0;
  }

  beginTurn(): void {
    this.account.fill();
  }

  endTurn(): void {
    this.#ofTurn = 0;
  }

  /** Counts a chunk; tells the bound that it is beyond. */
  take(bytes: number): Reason | undefined {
    const { maxOfBody, bytesOfFurther, fewOfTurn } = this.#limits;
    this.#chunks += 1;
    this.#bytes += bytes;
    this.#ofTurn += 1;
    const isOfAddress = this.account.take();
    if (this.#chunks > maxOfBody + this.#bytes / bytesOfFurther) return 'chunks of the body';
    return isOfAddress || this.#ofTurn <= fewOfTurn ? undefined : 'chunks of the address';
  }
}

/** What is to be done at the end of the present turn of the event loop: behind all that is read before the next setImmediate. */
class EndsOfTurn {
  #ends: (() => void)[] = [];

  add(end: () => void): void {
    if (this.#ends.push(end) > 1) return;
    setImmediate(() => {
      for (const each of this.#ends.splice(0)) each();
    });
  }
}
