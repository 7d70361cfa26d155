import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { HELD_BACK, LET_GO } from './held-back.ts';
import { hasBody } from './open-bodies.ts';
import { cutOffAfter } from './stop-connection.ts';

export interface AddressLimits {
  /** Of one address that is no trusted proxy; and of those that are answered as they make room, not closed yet. */
  readonly maxConnectionsOfAddress: number;
  /** Of these, those that have never sent a whole header and were opened more than `silentMs` ago. */
  readonly maxSilentOfAddress: number;
  /** A burst of connections may have sent its headers, and the service not read them yet. */
  readonly silentMs: number;
  /** How long a connection may stay open of which no request will be served any more. */
  readonly endMs: number;
}

export interface OpenConnection {
  readonly socket: Socket;
  readonly openedAt: number;
  /** Requests that are not answered yet. */
  requests: number;
}

/**
 * The connections of one address (IPv6: of a network of /64). Of those in one state the one that was first in it makes room first.
 * Of a trusted proxy (`isExempt`), which has as many as the server, those that wait for a request are left alone.
 */
export class AddressConnections {
  readonly #limits: AddressLimits;
  readonly #isExempt: boolean;
  /** All but those that have made room. */
  readonly #counted = new Set<OpenConnection>();
  /** Those that have sent no whole header since their opening, or since their last answer. */
  readonly #waiting = new Set<OpenConnection>();
  /** Those that have never sent one. */
  readonly #silent = new Set<OpenConnection>();
  /** Those whose refusals are held back, with what has them sent at once. */
  readonly #heldBack = new Map<OpenConnection, () => void>();
  /** Those of which no request will be served any more, whatever is still under way. */
  readonly #ending = new Set<OpenConnection>();
  /** Those that have made room by being answered at once, and are not closed yet. */
  readonly #leaving = new Set<OpenConnection>();
  /** Those with a request whose body had not come whole when it was looked at last. */
  readonly #openBodies = new Map<OpenConnection, IncomingMessage>();

  constructor(isExempt: boolean, limits: AddressLimits) {
    this.#isExempt = isExempt;
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#counted.size === 0 && this.#leaving.size === 0;
  }

  /** How many may be ended where the server is nearly full; bodies that have come whole may be among them. */
  get endable(): number {
    const first = this.#ending.size + this.#heldBack.size;
    return this.#isExempt ? first : first + this.#waiting.size + this.#openBodies.size;
  }

  add(connection: OpenConnection): void {
    this.#counted.add(connection);
    this.#waiting.add(connection);
    this.#silent.add(connection);
  }

  /** When it is closed. */
  remove(connection: OpenConnection): void {
    this.#uncount(connection);
    this.#leaving.delete(connection);
  }

  /**
   * No request of the connection will be served any more. Its client may take as long as it likes to close its side, and one that
   * has gone may not be noticed: what others of its address keep does not make room for that, and it is cut off in the end.
   */
  beginEnd(connection: OpenConnection): void {
    if (!this.#counted.has(connection)) return;
    this.#uncount(connection);
    this.#counted.add(connection);
    this.#ending.add(connection);
    cutOffAfter(connection.socket, this.#limits.endMs);
  }

  beginRequest(connection: OpenConnection, request: IncomingMessage, response: ServerResponse): void {
    this.#silent.delete(connection);
    this.#waiting.delete(connection);
    connection.requests += 1;
    if (hasBody(request) && this.#isAtWork(connection)) this.#openBodies.set(connection, request);
    response.once('close', () => this.#endRequest(connection, request));
    response.on(HELD_BACK, (letGo: () => void) => this.#holdBack(connection, response, letGo));
    response.on(LET_GO, () => this.#heldBack.delete(connection));
  }

  /** Ends what stands in the way of one more connection; false where all that the address may have are at work. */
  makeRoom(): boolean {
    if (this.#isExempt) return true;
    const { maxConnectionsOfAddress, maxSilentOfAddress, silentMs } = this.#limits;
    const newest = performance.now() - silentMs;
    let isFull = this.#counted.size >= maxConnectionsOfAddress;
    for (const connection of this.#silent) {
      if (this.#silent.size < maxSilentOfAddress || connection.openedAt > newest) break;
      this.#end(connection);
      isFull = false;
    }
    return !isFull || this.endFirst();
  }

  /** Ends the first to make room, which may be an open body only where the whole server is nearly full; false where there is none. */
  endFirst({ alsoOpenBodies = false } = {}): boolean {
    const order = [this.#ending, this.#heldBack.keys()];
    if (!this.#isExempt) order.push(this.#waiting, ...(alsoOpenBodies ? [this.#openBodies.keys()] : []));
    for (const [first] of order) {
      if (first === undefined) continue;
      this.#end(first);
      return true;
    }
    return false;
  }

  /** Whose body has come whole is at work. */
  forgetWholeBodies(): void {
    for (const [connection, request] of this.#openBodies)
      if (request.complete) this.#openBodies.delete(connection);
  }

  #endRequest(connection: OpenConnection, request: IncomingMessage): void {
    connection.requests -= 1;
    if (this.#openBodies.get(connection) === request) this.#openBodies.delete(connection);
    if (connection.requests === 0 && this.#isAtWork(connection)) this.#waiting.add(connection);
  }

  #holdBack(connection: OpenConnection, response: ServerResponse, letGo: () => void): void {
    const answerNow = (): void => {
      // A body that came too slowly may have been answered while the refusal was held back.
      if (!response.headersSent) response.setHeader('Connection', 'close');
      letGo();
    };
    if (this.#isAtWork(connection)) this.#heldBack.set(connection, answerNow);
    else answerNow();
  }

  /** Whether the connection has neither made room nor only ends. */
  #isAtWork(connection: OpenConnection): boolean {
    return this.#counted.has(connection) && !this.#ending.has(connection);
  }

  #end(connection: OpenConnection): void {
    const answerNow = this.#heldBack.get(connection);
    this.#uncount(connection);
    if (answerNow === undefined) {
      connection.socket.destroy();
      return;
    }
    this.#leaving.add(connection);
    cutOffAfter(connection.socket, this.#limits.endMs);
    const [first] = this.#leaving;
    if (this.#leaving.size > this.#limits.maxConnectionsOfAddress) first?.socket.destroy();
    answerNow();
  }

  #uncount(connection: OpenConnection): void {
    this.#counted.delete(connection);
    this.#waiting.delete(connection);
    this.#silent.delete(connection);
    this.#heldBack.delete(connection);
    this.#ending.delete(connection);
    this.#openBodies.delete(connection);
  }
}
