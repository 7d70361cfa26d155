import { isIP, type LookupFunction } from 'node:net';
import { createSecureContext, getCACertificates, type SecureContext, type TLSSocket } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { buildConnector, Client } from 'undici';
import { unbracketedHost } from '../domain/notifications/endpoint.ts';
import type { ResolvedAddress } from './destination.ts';

/** Response headers above this are a broken answer. */
const headerBytes = 16 * 1024;
/** How long a connection waits for its next exchange where the endpoint says nothing of it. */
const usualIdleMs = 4_000;
/** How long one address of several is tried before the next. */
const addressAttemptMs = 1_000;
/**
 * Hosts whose TLS sessions are remembered, and for how long: a handshake that takes one up is cheaper, since it does not
 * show the certificate again.
 */
const keptSessions = 1_000;
const sessionMs = 60_000;

/** At most one connection to a host, for one exchange at a time. */
export interface Connection {
  readonly client: Client;
  /** The address that it reached; undefined before it has reached one. */
  readonly address: () => string | undefined;
  /** Ends it, whatever it is doing. */
  close(): void;
}

/** What the library's connectors do, although its types keep silent about the socket. */
type Connector = (options: buildConnector.Options, callback: buildConnector.Callback) => TLSSocket;

interface PooledConnection extends Connection {
  readonly origin: string;
  readonly isUp: () => boolean;
  /** Where it may lead if it has to be opened anew. */
  addresses: readonly ResolvedAddress[];
  /** While it waits: takes it out of those that wait. */
  forget: (() => void) | undefined;
}

export interface ConnectionLimits {
  /** PEM of certificate authorities that are trusted beside the system's. */
  readonly extraCa: string | undefined;
  readonly connectMs: number;
  /** Connections that wait for their next exchange. */
  readonly mostIdle: number;
  /** How long one waits at most, also when the endpoint would have it wait longer. */
  readonly idleMs: number;
  /** Milliseconds of a clock that does not jump. */
  readonly now: () => number;
}

/**
 * Connections that can reach only the vetted addresses of the exchange they serve: names are not resolved again. TLS
 * is always verified, against the host's name and the system's authorities and `extraCa`.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #secureContext: SecureContext;
  readonly #sessions: LRUCache<string, Buffer>;
  /** Those that wait, by origin and the address that they lead to, the newest last. */
  readonly #idle = new Map<string, PooledConnection[]>();
  /** The same, the oldest first. */
  readonly #waiting = new Set<PooledConnection>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
    const { now } = limits;
    this.#sessions = new LRUCache({ max: keptSessions, ttl: sessionMs, ttlResolution: 0, perf: { now } });
    // One context for all connections: parsing the authorities anew would cost more than the handshake.
    this.#secureContext = createSecureContext({
      ca: [...getCACertificates('default'), ...(limits.extraCa === undefined ? [] : [limits.extraCa])],
    });
  }

  /** One that waits and leads to one of these addresses, else a fresh one. */
  take(url: URL, addresses: readonly ResolvedAddress[]): Connection {
    for (const { address } of addresses) {
      const found = this.#idle.get(keyOf(url.origin, address))?.at(-1);
      if (found === undefined) continue;
      found.forget?.();
      found.addresses = addresses;
      return found;
    }
    return this.#made(url, addresses, true);
  }

  /** One that no other exchange has used, nor its TLS session. */
  open(url: URL, addresses: readonly ResolvedAddress[]): Connection {
    return this.#made(url, addresses, false);
  }

  /** The exchange is over and whole: the connection waits for the next one. */
  keep(connection: Connection): void {
    const kept = connection as PooledConnection;
    const address = kept.address();
    if (!kept.isUp() || address === undefined) {
      kept.close();
      return;
    }
    const key = keyOf(kept.origin, address);
    const same = this.#idle.get(key) ?? [];
    this.#idle.set(key, same);
    same.push(kept);
    this.#waiting.add(kept);
    kept.forget = () => {
      kept.forget = undefined;
      this.#waiting.delete(kept);
      same.splice(same.lastIndexOf(kept), 1);
      if (same.length === 0) this.#idle.delete(key);
    };
    if (this.#waiting.size > this.#limits.mostIdle) this.#waiting.values().next().value?.close();
  }

  /** Ends all that wait. */
  destroy(): void {
    for (const connection of [...this.#waiting]) connection.close();
  }

  #made(url: URL, addresses: readonly ResolvedAddress[], mayResume: boolean): PooledConnection {
    let socket: TLSSocket | undefined;
    let reached: string | undefined;
    let isUp = false;
    const client = new Client(url.origin, {
      allowH2: false,
      maxHeaderSize: headerBytes,
      keepAliveTimeout: Math.min(usualIdleMs, this.#limits.idleMs),
      keepAliveMaxTimeout: this.#limits.idleMs,
      connect: (options, callback) => {
        const session = mayResume ? this.#sessions.get(url.origin) : undefined;
        socket = this.#connect(url, kept.addresses, session, options, (...[error, made]) => {
          if (error !== null) {
            callback(error, null);
            return;
          }
          isUp = true;
          reached = (made as TLSSocket).remoteAddress;
          callback(null, made);
        });
      },
    });
    client.on('disconnect', () => {
      isUp = false;
      kept.forget?.();
    });
    const kept: PooledConnection = {
      client,
      origin: url.origin,
      addresses,
      address: () => reached,
      isUp: () => isUp,
      forget: undefined,
      close: () => {
        kept.forget?.();
        socket?.destroy();
        void client.destroy();
      },
    };
    return kept;
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
      lookup: pinnedLookup(addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: addressAttemptMs,
    }) as Connector;
    const servername = isIP(host) > 0 ? '' : host;
    const socket = connect({ ...options, hostname: host, servername }, callback);
    socket.on('session', (fresh: Buffer) => {
      // Only of a handshake that has shown the certificate, so that it is looked at again and again.
      if (!socket.isSessionReused()) this.#sessions.set(url.origin, fresh);
    });
    return socket;
  }
}

function keyOf(origin: string, address: string): string {
  return `${origin} ${address}`;
}

function pinnedLookup(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else if (first === undefined) callback(new Error('There is no address to connect to.'), '');
    else callback(null, first.address, first.family);
  };
}
