import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { hostOf, parseEndpoint } from '../domain/endpoint.ts';
import type { Outcome } from '../domain/retry.ts';
import { connectionOpener, type Connections } from './connections.ts';
import { resolveDestination, type Lookup, type ResolvedAddress } from './destination.ts';
import { send } from './send.ts';

/** One deadline over lookup, connect, TLS, request and response headers. */
export const deliveryDeadlineMs = 5_000;
/** How many hosts' idle connections are kept. */
const keptHosts = 1_000;

export interface ExchangeOptions {
  readonly lookup: Lookup;
  /** WEBHOOK_ALLOWED_NETWORKS. */
  readonly allowedNetworks?: readonly string[];
  /** PEM of further certificate authorities (WEBHOOK_CA_FILE). */
  readonly extraCa?: string | undefined;
  readonly deadlineMs?: number;
}

export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Opens a connection for this request alone, so that none gone stale can fail it. */
  readonly isAlone?: boolean;
}

export interface Exchanged {
  readonly outcome: Outcome;
  readonly durationMs: number;
  /** The address that was called, once one was. */
  readonly address: string | undefined;
}

/** Sends HTTPS POSTs to endpoints that nobody vouches for; of the answer the status alone is used. */
export class Exchange {
  readonly deadlineMs: number;
  readonly #lookup: Lookup;
  readonly #allowedNetworks: readonly string[];
  readonly #open: (url: URL, addresses: readonly ResolvedAddress[]) => Connections;
  readonly #kept: LRUCache<string, Connections>;

  constructor({ lookup, allowedNetworks = [], extraCa, deadlineMs = deliveryDeadlineMs }: ExchangeOptions) {
    this.deadlineMs = deadlineMs;
    this.#lookup = lookup;
    this.#allowedNetworks = allowedNetworks;
    this.#open = connectionOpener(extraCa, deadlineMs);
    this.#kept = new LRUCache({ max: keptHosts, dispose: ({ pool }) => void pool.close() });
  }

  /** One exchange within the deadline. Nothing that the endpoint does makes it throw. */
  async post(request: PostRequest): Promise<Exchanged> {
    const startedAt = performance.now();
    const deadline = new AbortController();
    const late = Promise.withResolvers<Outcome>();
    const timer = setTimeout(() => {
      late.resolve({ kind: 'timed_out', afterMs: this.deadlineMs });
      deadline.abort();
    }, this.deadlineMs);

    const call = { connections: undefined as Connections | undefined, ended: Promise.resolve() };
    const outcome = await Promise.race([this.#call(request, deadline.signal, call), late.promise]);
    // A response body may still be under way; the deadline ends it too.
    void call.ended.finally(() => {
      clearTimeout(timer);
      if (request.isAlone === true) void call.connections?.pool.destroy();
    });
    const durationMs = Math.round(performance.now() - startedAt);
    // A turn later the connection of an answer that came whole is free for the next exchange.
    await setImmediate();
    return { outcome, durationMs, address: call.connections?.lastAddress() };
  }

  /** Drops all kept connections. */
  async destroy(): Promise<void> {
    const kept = [...this.#kept.values()];
    this.#kept.clear();
    await Promise.all(kept.map(({ pool }) => pool.destroy()));
  }

  async #call(
    request: PostRequest,
    signal: AbortSignal,
    call: { connections: Connections | undefined; ended: Promise<void> },
  ): Promise<Outcome> {
    const endpoint = parseEndpoint(request.url, this.#allowedNetworks);
    if ('errors' in endpoint) {
      return { kind: 'refused', reason: endpoint.errors.map(({ detail }) => detail).join(' ') };
    }
    const { url } = endpoint;
    const destination = await resolveDestination(hostOf(url), this.#lookup, this.#allowedNetworks);
    if ('outcome' in destination) return destination.outcome;
    if (signal.aborted) return { kind: 'timed_out', afterMs: this.deadlineMs };
    call.connections =
      request.isAlone === true
        ? this.#open(url, destination.addresses)
        : this.#keptConnections(url, destination.addresses);
    const path = url.pathname + url.search;
    const sent = send(call.connections.pool, path, request.headers, request.body, signal);
    call.ended = sent.ended;
    return sent.outcome;
  }

  /** Connections are kept under their vetted addresses: an answer with others opens new ones. */
  #keptConnections(url: URL, addresses: readonly ResolvedAddress[]): Connections {
    const key = [url.origin, ...addresses.map(({ address }) => address).sort()].join(' ');
    const connections = this.#kept.get(key) ?? this.#open(url, addresses);
    this.#kept.set(key, connections);
    return connections;
  }
}
