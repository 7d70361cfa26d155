import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { Problem } from '../domain/api/problem.ts';
import type { QuotaSubject } from '../domain/security/quota-subjects.ts';
import { createChunkAccounts } from './chunk-account.ts';
import type { AccountLimits, ChunkAccount } from './chunk-account.ts';
import { cutOffAfter, dropBodyOfTurn, stopReading, stopRequests } from './stop-connection.ts';

export interface ChunkLimits extends AccountLimits {
  /** Chunks of a body, and for how many of its bytes it may have a further one. */
  readonly maxOfBody: number;
  readonly bytesOfFurther: number;
  /** How long the connection of a body that was given up may go on without its end, in milliseconds. */
  readonly answerMs: number;
}

/**
 * A body of 16 KiB that is written token by token has some 3,000 chunks, one of 8 MiB row by row some 10,000. A chunk takes 1 to
 * 2 µs of the event loop, whatever its length, so that a party takes 3 to 6 % of it in the long run. A body that waits has a
 * connection with a read of 64 KiB.
 */
export const CHUNK_LIMITS: ChunkLimits = {
  maxOfBody: 4_096,
  bytesOfFurther: 64,
  maxAtOnce: 8_192,
  perMs: 32,
  fewOfTurn: 64,
  maxOfCaller: 256,
  maxOfParty: 512,
  waitMs: 2_000,
  answerMs: 30_000,
};

/** A request emits this when the rest of its body is given up. */
export const CUT_OFF = 'cutOff';

/** Node.js keeps some 500 bytes for each chunk; up to this length it is copied to where many are together. */
const COPIED_BYTES = 1_024;
const RETRY_SECONDS = '2';

type Reason = 'chunks of the body' | 'chunks of the party';
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
    `More small chunks came at once than are read of a partner, or of all callers together whose partner is not known yet: ${cure}, or repeat it after ${RETRY_SECONDS} s.`,
    { headers: { ...headers, 'Retry-After': RETRY_SECONDS } },
  );
}

/**
 * Bounds the chunks in which bodies come (RFC 9112, 7.1), since Node.js calls JavaScript for each, 10,900 times for 64 KiB of one byte
 * each: those of a body, and those that all bodies of a party bring, which is a partner that is known, or all other callers together.
 * While the party has less than half of its chunks left, no further part of its bodies is read but by turns of its callers; what
 * comes in the same read as its head, and is beyond, cannot wait. Such a body, one that waits too long, and one of too many chunks, is
 * given up: the rest is neither parsed nor read, and its connection ends with the answer.
 */
export function boundChunks(
  server: Server,
  findCaller: (request: IncomingMessage) => QuotaSubject,
  limits: ChunkLimits = CHUNK_LIMITS,
  monotonicMs: () => number = () => performance.now(),
): void {
  const accountOf = createChunkAccounts(limits, monotonicMs);
  const endsOfTurn = new EndsOfTurn();
  const readsOf = new WeakMap<Socket, BodyReads>();
  server.on('request', (request: IncomingMessage) => {
    if (request.headers['transfer-encoding'] === undefined) return;
    const { socket } = request;
    const reads = readsOf.get(socket) ?? new BodyReads(socket, endsOfTurn);
    readsOf.set(socket, reads);
    countChunks(new ChunkedBody(request, { limits, findCaller, accountOf }), reads);
  });
}

/** Counts the chunks of a body, whoever reads them and whether or not anybody does. */
function countChunks(body: ChunkedBody, reads: BodyReads): void {
  const { request } = body;
  const push = request.push.bind(request);
  const pushCounted = (chunk: Buffer | null): boolean => {
    if (isCutOff(request)) return false;
    if (chunk === null) return push(null);
    const reason = body.take(chunk.length, reads.begin(body));
    if (reason === undefined) return push(chunk.length <= COPIED_BYTES ? Buffer.from(chunk) : chunk);
    body.cutOff(reason);
    return false;
  };
  request.push = pushCounted;
}

/**
 * One read of a connection's bodies in each turn: else Node.js reads on up to 2 MiB, if so much has come, before anybody else has a
 * turn.
 */
class BodyReads {
  readonly #socket: Socket;
  readonly #endsOfTurn: EndsOfTurn;
  /** The body of the last chunk in this turn: only that one can be incomplete. */
  #body: ChunkedBody | undefined;
  #isStopped = false;

  constructor(socket: Socket, endsOfTurn: EndsOfTurn) {
    this.#socket = socket;
    this.#endsOfTurn = endsOfTurn;
    // Whoever consumes a body lets Node.js read on.
    socket.on('resume', () => {
      if (this.#isStopped) stopReading(socket);
    });
  }

  /** Tells whether a chunk is the first one of its body in this turn. */
  begin(body: ChunkedBody): boolean {
    if (this.#body === body) return false;
    if (this.#body === undefined) {
      this.#isStopped = true;
      stopReading(this.#socket);
      this.#endsOfTurn.add(() => this.#endTurn());
    }
    this.#body = body;
    return true;
  }

  #endTurn(): void {
    const body = this.#body;
    this.#body = undefined;
    if (body === undefined || isCutOff(body.request)) return;
    if (body.request.complete) this.#readOn(body);
    else body.waitForTurn(() => this.#readOn(body));
  }

  #readOn({ request }: ChunkedBody): void {
    this.#isStopped = false;
    // Where nobody takes what has come, whoever does so later lets Node.js read on.
    if (request.complete || request.readableLength < request.readableHighWaterMark) this.#socket.resume();
  }
}

interface BodyOptions {
  readonly limits: ChunkLimits;
  readonly findCaller: (request: IncomingMessage) => QuotaSubject;
  readonly accountOf: (caller: QuotaSubject) => ChunkAccount;
}

/** The chunks of one body. */
class ChunkedBody {
  readonly request: IncomingMessage;
  readonly #id = Symbol('body');
  readonly #options: BodyOptions;
  #caller: QuotaSubject | undefined;
  #account: ChunkAccount | undefined;
  #chunks = 0;
  #bytes = 0;

  constructor(request: IncomingMessage, options: BodyOptions) {
    this.request = request;
    this.#options = options;
  }

  /**
   * Counts a chunk; tells the bound that it is beyond. The first one of a turn costs no more than a read of a body with a length,
   * so that it is none of its party's, and nobody asks whose it is.
   */
  take(bytes: number, isFirstOfTurn: boolean): Reason | undefined {
    const { maxOfBody, bytesOfFurther } = this.#options.limits;
    this.#chunks += 1;
    this.#bytes += bytes;
    if (this.#chunks > maxOfBody + this.#bytes / bytesOfFurther) return 'chunks of the body';
    if (isFirstOfTurn) return undefined;
    return this.#findAccount().take(this.#id) ? undefined : 'chunks of the party';
  }

  /** Has the body read on at once or when it is its caller's turn, unless its client goes before. */
  waitForTurn(readOn: () => void): void {
    const { request } = this;
    const { socket } = request;
    if (socket.destroyed) return;
    const account = this.#findAccount();
    if (account.mayReadOn()) {
      readOn();
      return;
    }
    const end = (andThen: () => void) => (): void => {
      socket.off('close', leave);
      if (!socket.destroyed) andThen();
    };
    const body = {
      id: this.#id,
      readOn: end(readOn),
      giveUp: end(() => this.cutOff('chunks of the party')),
    };
    const leave = (): void => account.leave(body);
    socket.once('close', leave);
    account.wait(this.#findCaller(), body);
  }

  /** Nothing more comes of the body, and no time of Node.js ends a connection whose body it has read: its answer does, or this. */
  cutOff(reason: Reason): void {
    const { request } = this;
    const { socket } = request;
    CUT_OFF_FOR.set(request, reason);
    stopRequests(socket);
    dropBodyOfTurn(socket);
    cutOffAfter(socket, this.#options.limits.answerMs);
    request.emit(CUT_OFF);
  }

  #findCaller(): QuotaSubject {
    return (this.#caller ??= this.#options.findCaller(this.request));
  }

  #findAccount(): ChunkAccount {
    return (this.#account ??= this.#options.accountOf(this.#findCaller()));
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
