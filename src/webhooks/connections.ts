import { isIP, type LookupFunction } from 'node:net';
import { createSecureContext, getCACertificates, type SecureContext, type TLSSocket } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { buildConnector, Client } from 'undici';
import { unbracketedHost } from '../domain/notifications/endpoint.ts';
import { boundAnswers } from './answer-bounds.ts';
import type { ResolvedAddress } from './destination.ts';

/** A response with longer headers is an error. */
const MAX_HEADER_BYTES = 16 * 1024;
/** How long a connection stays idle when the endpoint sends no Keep-Alive header. */
const DEFAULT_IDLE_MS = 4_000;
/** How long one address of several is tried before the next one. */
const ADDRESS_ATTEMPT_MS = 1_000;
/**
 * TLS sessions in the cache, one for each origin, and how long one is used: a resumed handshake is cheaper, since the
 * certificate is not sent again.
 */
const MAX_TLS_SESSIONS = 1_000;
const TLS_SESSION_MS = 60_000;

/** One connection to an origin, for one exchange at a time. */
export interface Connection {
  readonly client: Client;
  /** The IP address that it is connected to; undefined before that. */
  readonly address: () => string | undefined;
  /** What it took to open it for the present exchange; empty while it is being opened, and where it was open before. */
  readonly opening: () => ConnectionOpening;
  /** Closes it, also during an exchange. */
  close(): void;
}

/** In milliseconds of the connection's exchange. */
export interface ConnectionOpening {
  readonly connectMs?: number;
  readonly tlsMs?: number;
}

/** undici's connectors return the socket, although its types do not say so. */
type Connector = (options: buildConnector.Options, callback: buildConnector.Callback) => TLSSocket;

interface PooledConnection extends Connection {
  /** Whose it is; undefined where it is for one exchange alone. */
  readonly webhookId: string | undefined;
  readonly origin: string;
  readonly isConnected: () => boolean;
  /** The addresses that it may be opened to again. */
  addresses: readonly ResolvedAddress[];
  /** From now on it was open before, and what it brings is of the next exchange. */
  beginNext: () => void;
  /** While it is idle: takes it out of the idle connections. */
  removeFromIdle: (() => void) | undefined;
}

export interface ConnectionLimits {
  /** PEM of certificate authorities that are trusted in addition to the system's. */
  readonly extraCa: string | undefined;
  readonly connectMs: number;
  /** Idle connections; the one idle longest is closed when there are more. */
  readonly maxIdle: number;
  /** How long a connection stays idle at most, also when the endpoint allows longer. */
  readonly idleMs: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/**
 * Connections that can only lead to the checked addresses of the message that they carry: names are not resolved again,
 * so that a name that changes meanwhile (DNS rebinding) has no effect. The certificate is always verified, against the
 * host's name and the authorities of the system and of `extraCa`.
 */
export class ConnectionPool {
  readonly #limits: ConnectionLimits;
  readonly #secureContext: SecureContext;
  readonly #sessions: LRUCache<string, Buffer>;
  /** Idle connections by webhook, origin and address, the latest last. */
  readonly #idleByKey = new Map<string, PooledConnection[]>();
  /** The same connections, idle longest first. */
  readonly #idleOldestFirst = new Set<PooledConnection>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
    const { now } = limits;
    this.#sessions = new LRUCache({
      max: MAX_TLS_SESSIONS,
      ttl: TLS_SESSION_MS,
      ttlResolution: 0,
      perf: { now },
    });
    // One context for all connections: parsing the authorities takes longer than a handshake.
    this.#secureContext = createSecureContext({
      ca: [...getCACertificates('default'), ...(limits.extraCa === undefined ? [] : [limits.extraCa])],
    });
  }

  /**
   * An idle connection to one of these addresses that was opened for the same webhook, otherwise a new one. Others must not get it:
   * an endpoint may answer once more than it was asked, and that is taken for the answer to the next request.
   */
  acquire(webhookId: string, url: URL, addresses: readonly ResolvedAddress[]): Connection {
    for (const { address } of addresses) {
      const found = this.#idleByKey.get(poolKey(webhookId, url.origin, address))?.at(-1);
      if (found === undefined) continue;
      found.removeFromIdle?.();
      found.addresses = addresses;
      found.beginNext();
      return found;
    }
    return this.#create(url, addresses, webhookId);
  }

  /** A new connection with a full TLS handshake. */
  openOwn(url: URL, addresses: readonly ResolvedAddress[]): Connection {
    return this.#create(url, addresses, undefined);
  }

  /** Makes a connection idle whose exchange was complete; closes it when it is no longer connected. */
  release(connection: Connection): void {
    const pooled = connection as PooledConnection;
    const address = pooled.address();
    if (!pooled.isConnected() || address === undefined || pooled.webhookId === undefined) {
      pooled.close();
      return;
    }
    const key = poolKey(pooled.webhookId, pooled.origin, address);
    const sameKey = this.#idleByKey.get(key) ?? [];
    this.#idleByKey.set(key, sameKey);
    sameKey.push(pooled);
    this.#idleOldestFirst.add(pooled);
    const removeFromIdle = (): void => {
      pooled.removeFromIdle = undefined;
      this.#idleOldestFirst.delete(pooled);
      sameKey.splice(sameKey.lastIndexOf(pooled), 1);
      if (sameKey.length === 0) this.#idleByKey.delete(key);
    };
    pooled.removeFromIdle = removeFromIdle;
    if (this.#idleOldestFirst.size > this.#limits.maxIdle)
      this.#idleOldestFirst.values().next().value?.close();
  }

  /** Closes all idle connections. */
  close(): void {
    for (const connection of [...this.#idleOldestFirst]) connection.close();
  }

  #create(url: URL, addresses: readonly ResolvedAddress[], webhookId: string | undefined): PooledConnection {
    let socket: TLSSocket | undefined;
    let remoteAddress: string | undefined;
    let isConnected = false;
    let opening: ConnectionOpening = {};
    let beginNextAnswer = (): void => undefined;
    const client = new Client(url.origin, {
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: Math.min(DEFAULT_IDLE_MS, this.#limits.idleMs),
      keepAliveMaxTimeout: this.#limits.idleMs,
      connect: (options, callback) => {
        const startedAt = performance.now();
        const session = webhookId === undefined ? undefined : this.#sessions.get(url.origin);
        socket = this.#connect(url, pooled.addresses, session, options, (...[error, made]) => {
          if (error !== null) {
            callback(error, null);
            return;
          }
          isConnected = true;
          opening = { ...opening, tlsMs: performance.now() - startedAt - (opening.connectMs ?? 0) };
          remoteAddress = (made as TLSSocket).remoteAddress;
          callback(null, made);
        });
        beginNextAnswer = boundAnswers(socket);
        socket.once('connect', () => {
          opening = { connectMs: performance.now() - startedAt };
        });
      },
    });
    client.on('disconnect', () => {
      isConnected = false;
      pooled.removeFromIdle?.();
    });
    const pooled: PooledConnection = {
      client,
      webhookId,
      origin: url.origin,
      addresses,
      address: () => remoteAddress,
      opening: () => opening,
      beginNext: () => {
        opening = {};
        beginNextAnswer();
      },
      isConnected: () => isConnected,
      removeFromIdle: undefined,
      close: () => {
        pooled.removeFromIdle?.();
        socket?.destroy();
        void client.destroy();
      },
    };
    return pooled;
  }

  #connect(
    url: URL,
    addresses: readonly ResolvedAddress[],
    session: Buffer | undefined,
    options: buildConnector.Options,
    callback: buildConnector.Callback,
  ): TLSSocket {
    const host = unbracketedHost(url).replace(/\.$/, '');
    const connect = buildConnector({
      secureContext: this.#secureContext,
      rejectUnauthorized: true,
      timeout: this.#limits.connectMs,
      allowH2: false,
      maxCachedSessions: 0,
      ...(session === undefined ? {} : { session }),
      lookup: createPinnedLookup(addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    }) as Connector;
    const servername = isIP(host) > 0 ? '' : host;
    const socket = connect({ ...options, hostname: host, servername }, callback);
    socket.on('session', (fresh: Buffer) => {
      // Only sessions of full handshakes, so that the certificate is verified again once they have expired.
      if (!socket.isSessionReused()) this.#sessions.set(url.origin, fresh);
    });
    return socket;
  }
}

function poolKey(webhookId: string, origin: string, address: string): string {
  return `${webhookId} ${origin} ${address}`;
}

function createPinnedLookup(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else if (first === undefined) callback(new Error('There is no address to connect to.'), '');
    else callback(null, first.address, first.family);
  };
}
