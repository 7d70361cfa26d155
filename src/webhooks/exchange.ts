import { setImmediate } from 'node:timers/promises';
import { unbracketedHost, validateEndpointUrl } from '../domain/notifications/endpoint.ts';
import type { AttemptOutcome } from '../domain/notifications/retry.ts';
import { Connections, type Connection } from './connections.ts';
import { resolveDestination, type Lookup } from './destination.ts';
import { send } from './send.ts';

/** One deadline over lookup, connect, TLS, request and response headers. */
export const deliveryDeadlineMs = 5_000;
/** Connections of a process that wait for the next delivery, and how long one waits at most. */
const mostIdleByDefault = 1_000;
const idleMsByDefault = 30_000;
/** Exchanges that are decided while their answer's body is still under way, in a process. */
const mostBodiesByDefault = 256;

export interface ExchangeOptions {
  readonly lookup: Lookup;
  /** WEBHOOK_ALLOWED_NETWORKS. */
  readonly allowedNetworks?: readonly string[];
  /** PEM of further certificate authorities (WEBHOOK_CA_FILE). */
  readonly extraCa?: string | undefined;
  readonly deadlineMs?: number;
  readonly mostIdle?: number;
  readonly idleMs?: number;
  readonly mostBodies?: number;
  /** Milliseconds of a clock that does not jump. */
  readonly now?: () => number;
}

export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Opens a connection for this request alone, so that none gone stale can fail it. */
  readonly isAlone?: boolean;
}

export interface Exchanged {
  readonly outcome: AttemptOutcome;
  readonly durationMs: number;
  /** The address that was called, once one was. */
  readonly address: string | undefined;
}

/** One exchange under way. */
interface Call {
  connection: Connection | undefined;
  /** Settles when the connection is used no more: true when it can serve again. */
  ended: Promise<boolean>;
}

/** Sends HTTPS POSTs to endpoints that nobody vouches for; of the answer the status alone is used. */
export class Exchange {
  readonly deadlineMs: number;
  readonly #lookup: Lookup;
  readonly #allowedNetworks: readonly string[];
  readonly #connections: Connections;
  readonly #mostBodies: number;
  readonly #inUse = new Set<Connection>();
  /** Those of them whose exchange is decided and whose answer is not over, the oldest first. */
  readonly #bodies = new Set<Connection>();

  constructor({
    lookup,
    allowedNetworks = [],
    extraCa,
    deadlineMs = deliveryDeadlineMs,
    mostIdle = mostIdleByDefault,
    idleMs = idleMsByDefault,
    mostBodies = mostBodiesByDefault,
    now = () => performance.now(),
  }: ExchangeOptions) {
    this.deadlineMs = deadlineMs;
    this.#lookup = lookup;
    this.#allowedNetworks = allowedNetworks;
    this.#connections = new Connections({ extraCa, connectMs: deadlineMs, mostIdle, idleMs, now });
    this.#mostBodies = mostBodies;
  }

  /** One exchange within the deadline. Nothing that the endpoint does makes it throw. */
  async post(request: PostRequest): Promise<Exchanged> {
    const startedAt = performance.now();
    const deadline = new AbortController();
    const late = Promise.withResolvers<AttemptOutcome>();
    const call: Call = { connection: undefined, ended: Promise.resolve(false) };
    const timer = setTimeout(() => {
      late.resolve({ kind: 'timed_out', afterMs: this.deadlineMs });
      deadline.abort();
      call.connection?.close();
    }, this.deadlineMs);

    const outcome = await Promise.race([this.#call(request, deadline.signal, call), late.promise]);
    const durationMs = Math.round(performance.now() - startedAt);
    const { connection, ended } = call;
    const address = connection?.address();
    if (connection !== undefined) this.#awaitBody(connection);
    // A response body may still be under way; the deadline ends it too.
    void ended.then((isWhole) => {
      clearTimeout(timer);
      if (connection === undefined) return;
      this.#inUse.delete(connection);
      this.#bodies.delete(connection);
      if (isWhole && request.isAlone !== true) this.#connections.keep(connection);
      else connection.close();
    });
    // A turn later the connection of an answer that came whole is free for the next exchange.
    await setImmediate();
    return { outcome, durationMs, address };
  }

  /** Drops all connections, also those in use. */
  async destroy(): Promise<void> {
    for (const connection of [...this.#inUse]) connection.close();
    this.#connections.destroy();
    await setImmediate();
  }

  /** Nobody waits for the end of an answer, so that endless ones must not pile up: the oldest has had its time. */
  #awaitBody(connection: Connection): void {
    this.#bodies.add(connection);
    if (this.#bodies.size > this.#mostBodies) {
      const oldest = this.#bodies.values().next().value;
      if (oldest !== undefined) this.#bodies.delete(oldest);
      oldest?.close();
    }
  }

  async #call(request: PostRequest, signal: AbortSignal, call: Call): Promise<AttemptOutcome> {
    const endpoint = validateEndpointUrl(request.url, this.#allowedNetworks);
    if ('errors' in endpoint) {
      return { kind: 'refused', reason: endpoint.errors.map(({ detail }) => detail).join(' ') };
    }
    const { url } = endpoint;
    const destination = await resolveDestination(unbracketedHost(url), this.#lookup, this.#allowedNetworks);
    if ('outcome' in destination) return destination.outcome;
    if (signal.aborted) return { kind: 'timed_out', afterMs: this.deadlineMs };
    const connection =
      request.isAlone === true
        ? this.#connections.open(url, destination.addresses)
        : this.#connections.take(url, destination.addresses);
    call.connection = connection;
    this.#inUse.add(connection);
    const path = url.pathname + url.search;
    const sent = send(connection.client, path, request.headers, request.body, signal);
    call.ended = sent.ended;
    return sent.outcome;
  }
}
