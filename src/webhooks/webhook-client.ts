import { setImmediate } from 'node:timers/promises';
import type { AttemptPhases } from '../domain/notifications/attempt-phases.ts';
import type { AttemptOutcome } from '../domain/notifications/retry.ts';
import { ConnectionPool, type Connection } from './connections.ts';
import { resolveDestination, type HostLookup } from './destination.ts';
import { DestinationChecks } from './destination-checks.ts';
import { startHttpExchange } from './http-exchange.ts';
import type { RefusedDestination } from './refused-destinations.ts';
import type { SignedMessage } from './sign-message.ts';

/** One deadline for lookup, connect, TLS, request and response headers together. */
export const DELIVERY_DEADLINE_MS = 5_000;
/** Idle connections of a process, and how long one stays open at most. */
const MAX_IDLE_CONNECTIONS = 1_000;
const MAX_IDLE_MS = 30_000;
/** Connections of a process whose outcome is known while the response body has not ended. */
const MAX_OPEN_BODIES = 256;

export interface WebhookClientOptions {
  readonly lookup: HostLookup;
  /** CIDR blocks that may be called although they are private (WEBHOOK_ALLOWED_NETWORKS). */
  readonly allowedNetworks?: readonly string[];
  /** PEM of further certificate authorities (WEBHOOK_CA_FILE). */
  readonly extraCa?: string | undefined;
  /** Hears of each attempt that led to an address that must not be called: for the operator's log. */
  readonly onRefusedAddress?: (refused: RefusedDestination) => void;
  readonly deadlineMs?: number;
  readonly maxIdleConnections?: number;
  readonly idleMs?: number;
  readonly maxOpenBodies?: number;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

export interface SendRequest extends SignedMessage {
  /** Whose message it is; those of one webhook share connections. */
  readonly webhookId: string;
  /** A connection is opened for this request alone, so that no stale one can make it fail. */
  readonly hasOwnConnection?: boolean;
}

export interface SendResult {
  readonly outcome: AttemptOutcome;
  readonly durationMs: number;
  /** The address that was called; undefined when none was. */
  readonly address: string | undefined;
  readonly phases: AttemptPhases;
}

/** A request on its way; its parts are set when it has its connection. */
interface RequestState {
  /** The deadline has passed. */
  isLate: boolean;
  connection: Connection | undefined;
  /** How long it took until the host's addresses were known. */
  lookupMs: number | undefined;
  /** Resolves when the connection is no longer used: true when it can be used again. */
  ended: Promise<boolean>;
}

/** Sends HTTPS POSTs to endpoints that are not trusted; of the answer only the status is used. */
export class WebhookClient {
  readonly deadlineMs: number;
  readonly #lookup: HostLookup;
  readonly #onRefusedAddress: (refused: RefusedDestination) => void;
  readonly #checks: DestinationChecks;
  readonly #connections: ConnectionPool;
  readonly #maxOpenBodies: number;
  readonly #inUse = new Set<Connection>();
  /** Those of them whose outcome is known and whose response body has not ended, the oldest first. */
  readonly #openBodies = new Set<Connection>();

  constructor({
    lookup,
    allowedNetworks = [],
    extraCa,
    onRefusedAddress = () => {},
    deadlineMs = DELIVERY_DEADLINE_MS,
    maxIdleConnections: maxIdle = MAX_IDLE_CONNECTIONS,
    idleMs = MAX_IDLE_MS,
    maxOpenBodies = MAX_OPEN_BODIES,
    now = () => performance.now(),
  }: WebhookClientOptions) {
    this.deadlineMs = deadlineMs;
    this.#lookup = lookup;
    this.#onRefusedAddress = onRefusedAddress;
    this.#checks = new DestinationChecks(allowedNetworks);
    this.#connections = new ConnectionPool({ extraCa, connectMs: deadlineMs, maxIdle, idleMs, now });
    this.#maxOpenBodies = maxOpenBodies;
  }

  /** Sends a signed message within the deadline. Nothing that the endpoint does makes it reject. */
  async send(request: SendRequest): Promise<SendResult> {
    const startedAt = performance.now();
    const timedOut = Promise.withResolvers<AttemptOutcome>();
    const state: RequestState = {
      isLate: false,
      connection: undefined,
      lookupMs: undefined,
      ended: Promise.resolve(false),
    };
    const timer = setTimeout(() => {
      timedOut.resolve({ kind: 'timed_out', afterMs: this.deadlineMs });
      state.isLate = true;
      state.connection?.close();
    }, this.deadlineMs);

    const outcome = await Promise.race([this.#run(request, state), timedOut.promise]);
    const durationMs = Math.round(performance.now() - startedAt);
    const { connection, ended } = state;
    const address = connection?.address();
    const phases = toPhases(state, outcome, durationMs);
    if (connection !== undefined) this.#trackOpenBody(connection);
    // The response body may not have ended; the deadline ends it too.
    void ended.then((isWhole) => {
      clearTimeout(timer);
      if (connection === undefined) return;
      this.#inUse.delete(connection);
      this.#openBodies.delete(connection);
      if (isWhole) this.#connections.release(connection);
      else connection.close();
    });
    // After one more turn of the event loop the connection of a whole answer is free for the next request.
    await setImmediate();
    return { outcome, durationMs, address, phases };
  }

  /** Closes all connections, also those in use. */
  async close(): Promise<void> {
    for (const connection of [...this.#inUse]) connection.close();
    this.#connections.close();
    await setImmediate();
  }

  /** Nobody waits for the end of a body, so that endless ones must not accumulate: the oldest is closed. */
  #trackOpenBody(connection: Connection): void {
    this.#openBodies.add(connection);
    if (this.#openBodies.size > this.#maxOpenBodies) {
      const oldest = this.#openBodies.values().next().value;
      if (oldest !== undefined) this.#openBodies.delete(oldest);
      oldest?.close();
    }
  }

  /** The stages behind the signature: destination, connection, exchange. */
  async #run(request: SendRequest, state: RequestState): Promise<AttemptOutcome> {
    const startedAt = performance.now();
    const message = await resolveDestination(request, this.#lookup, this.#checks);
    state.lookupMs = performance.now() - startedAt;
    if ('outcome' in message) {
      if (message.refused !== undefined)
        this.#onRefusedAddress({ webhookId: request.webhookId, ...message.refused });
      return message.outcome;
    }
    if (state.isLate) return { kind: 'timed_out', afterMs: this.deadlineMs };
    const { destination, addresses } = message;
    const connection =
      request.hasOwnConnection === true
        ? this.#connections.openOwn(destination, addresses)
        : this.#connections.acquire(request.webhookId, destination, addresses);
    state.connection = connection;
    this.#inUse.add(connection);
    const exchange = startHttpExchange(connection, message);
    state.ended = exchange.ended;
    return exchange.outcome;
  }
}

/** In whole milliseconds; the answer has the rest of the time, where one has come. */
function toPhases(
  { lookupMs, connection }: RequestState,
  outcome: AttemptOutcome,
  durationMs: number,
): AttemptPhases {
  const { connectMs, tlsMs } = connection?.opening() ?? {};
  const spentMs = (lookupMs ?? 0) + (connectMs ?? 0) + (tlsMs ?? 0);
  return {
    ...(lookupMs === undefined ? {} : { lookupMs: Math.round(lookupMs) }),
    ...(connectMs === undefined ? {} : { connectMs: Math.round(connectMs) }),
    ...(tlsMs === undefined ? {} : { tlsMs: Math.round(tlsMs) }),
    ...('status' in outcome ? { answerMs: Math.max(0, Math.round(durationMs - spentMs)) } : {}),
  };
}
