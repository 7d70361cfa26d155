import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { stopReading, stopRequests } from './stop-connection.ts';

/** Requests that may wait on a connection behind the one that is being answered; a client that sends more is cut off. */
const MAX_WAITING_REQUESTS = 100;
/** After this time: who is cut off at once comes again at once, and each time a hundred requests have been read for nothing. */
export const CUT_OFF_AFTER_MS = 1_000;

/** A response emits this before its first byte when it has no end of its own: nothing can be answered behind it. */
export const ENDLESS = 'endless';

/** How a connection without a request ends once the service stops. */
export interface DrainTimes {
  /** A request that comes within this time is still answered: it was sent before its client could know of the stop. */
  readonly graceMs: number;
  /** After our end of the connection is closed, what still comes is read for this time, so that nothing is reset. */
  readonly lingerMs: number;
}

/**
 * A client's connection. Its requests are handled one after the other; answers come in order in any case (RFC 9112, 9.3.2).
 * While one waits nothing more is read, so that a connection keeps the bytes of one read, of 64 KiB, whatever is pipelined.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #handle: RequestListener;
  #waiting: (readonly [IncomingMessage, ServerResponse])[] = [];
  #current: ServerResponse | undefined;
  /** When the current request was begun, in milliseconds that never run backwards. */
  #begunMs = 0;
  #isEndless = false;
  #isAbandoned = false;
  #isEnding = false;
  #drain: DrainTimes | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: Socket, handle: RequestListener) {
    this.#socket = socket;
    this.#handle = handle;
    socket.once('close', () => {
      this.#waiting = [];
      clearTimeout(this.#timer);
    });
    // Node.js reads on after each request that has come whole.
    socket.on('resume', () => {
      if (this.#waiting.length > 0 || this.#isAbandoned) stopReading(this.#socket);
    });
  }

  /** Handles the request now, or after those before it. */
  take(request: IncomingMessage, response: ServerResponse): void {
    // Our end is closed: there is no way to answer, and the client learns by it that nothing was done.
    if (this.#socket.writableEnded || this.#isAbandoned) return;
    clearTimeout(this.#timer);
    if (this.#current === undefined) {
      this.#run(request, response);
    } else if (this.#isEndless) {
      this.#cutOff();
    } else if (this.#waiting.length === MAX_WAITING_REQUESTS) {
      this.#abandon();
    } else {
      this.#waiting.push([request, response]);
      stopReading(this.#socket);
      this.#markLast();
    }
  }

  #cutOff(): void {
    stopRequests(this.#socket);
    this.#socket.destroy();
  }

  /** Neither reads nor answers any more, and cuts the connection off a little later; until then it is one of its address. */
  #abandon(): void {
    this.#isAbandoned = true;
    this.#waiting = [];
    stopRequests(this.#socket);
    stopReading(this.#socket);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#socket.destroy(), CUT_OFF_AFTER_MS);
  }

  /** From now on the connection ends as soon as no request is left on it, and says so where it still can. */
  drain(times: DrainTimes): void {
    this.#drain = times;
    this.announceEnd();
    if (this.#isAbandoned) this.#cutOff();
    else if (this.#current === undefined) this.#endWhenIdle(times);
  }

  /** From now on the last answer of those that are under way, or the next one, ends the connection and says so. */
  announceEnd(): void {
    this.#isEnding = true;
    this.#markLast();
  }

  /** Ends a request that was begun before `sinceMs` and whose answer has not begun: nothing else may. */
  endUnanswered(sinceMs: number): void {
    if (this.#current?.headersSent === false && this.#begunMs < sinceMs) this.#socket.destroy();
  }

  #run(request: IncomingMessage, response: ServerResponse): void {
    this.#current = response;
    this.#begunMs = performance.now();
    this.#markLast();
    response.once('close', () => this.#runNext());
    response.once(ENDLESS, () => {
      this.#isEndless = true;
      if (this.#waiting.length > 0) this.#cutOff();
    });
    this.#handle(request, response);
  }

  #runNext(): void {
    this.#current = undefined;
    // An answer that ends the connection leaves those behind it unanswered: nothing may be done for them.
    if (this.#socket.writableEnded) this.#waiting = [];
    const next = this.#waiting.shift();
    if (next !== undefined) this.#runAfterOthers(...next);
    else if (this.#isAbandoned) return;
    else if (this.#drain !== undefined && !this.#socket.destroyed) this.#endWhenIdle(this.#drain);
  }

  /** Without a turn of the loop in between a hundred answers that wait for nothing would hold it for 30 ms and more. */
  #runAfterOthers(request: IncomingMessage, response: ServerResponse): void {
    this.#current = response;
    this.#begunMs = performance.now();
    if (this.#waiting.length === 0) this.#socket.resume();
    setImmediate(() => {
      if (!this.#socket.destroyed) this.#run(request, response);
    });
  }

  /** Only the last answer says that the connection ends with it: Node closes it there. */
  #markLast(): void {
    if (!this.#isEnding || this.#current === undefined || this.#current.headersSent) return;
    if (this.#waiting.length === 0) this.#current.setHeader('Connection', 'close');
    else this.#current.removeHeader('Connection');
  }

  #endWhenIdle({ graceMs, lingerMs }: DrainTimes): void {
    this.#timer = setTimeout(() => {
      this.#socket.end();
      this.#timer = setTimeout(() => this.#socket.destroy(), lingerMs);
    }, graceMs);
  }
}
