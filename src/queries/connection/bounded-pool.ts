// A pool in which nobody waits without a limit: for a connection, for its opening, for a statement.
import type pg from 'pg';
import { boundStatements } from './bounded-client.ts';
import type { StatementBound } from './bounded-client.ts';
import { DatabaseTimeoutError } from './database-errors.ts';
import { findRequestScope } from './request-scope.ts';
import type { RequestScope } from './request-scope.ts';
import { CLIENT_CHECK_MS } from './session-settings.ts';

/** Who takes a connection when no partner is known yet. */
const ANONYMOUS = 'anonymous';
/** Who takes a connection for the process itself. */
const SERVICE = 'service';

/** A turn is waited for no longer than this, in milliseconds. */
const LONGEST_TURN_WAIT_MS = 2_000;

/**
 * A statement whose client is gone goes on at the server until that looks, and holds what it held: its turn ends then. Otherwise
 * who lets statements hang would have more of the server than its share.
 */
const TURN_OF_LEFT_STATEMENT_MS = 1.25 * CLIENT_CHECK_MS;

/** A turn of a partner, or of the address of which no partner is known yet; resolves when it has come, to the function that ends it. */
export type AcquireShare = (
  partnerId: string,
  signal: AbortSignal | undefined,
  address: string | undefined,
) => Promise<() => void>;

export interface BoundedPoolOptions {
  readonly pool: pg.Pool;
  /** Milliseconds of a statement, and of a wait for a connection, that no request bounds. */
  readonly statementMs: number;
  /** For a pool that serves requests: they share it by partners. Without it requests do not bound anything, `runWithin` does. */
  readonly acquireShare?: AcquireShare | undefined;
  /** How long a connection keeps the plans of its prepared statements, in milliseconds; 5 s by default. */
  readonly plansMs?: number | undefined;
}

/**
 * PostgreSQL keeps a prepared statement's plan although its tables grow, until they are analysed, which a server may do once
 * a minute: a plan that was made while a table was empty took 600 ms at 100,000 rows instead of .3 ms.
 */
const PLANS_MS = 5_000;

const CONNECT_TIMEOUTS =
  /^(?:Connection terminated due to connection timeout|timeout exceeded when trying to connect|timeout expired)/;

interface Waiting {
  readonly take: (client: pg.PoolClient) => void;
  readonly fail: (error: unknown) => void;
}

/** What Kysely needs of a pool; it hands out the connections of a pg pool. */
export class BoundedPool {
  readonly #pool: pg.Pool;
  readonly #statementMs: number;
  readonly #acquireShare: AcquireShare | undefined;
  readonly #plansMs: number;
  readonly #bounds = new WeakMap<pg.ClientBase, StatementBound>();
  /** Who waits for a connection, in the order in which they came. */
  readonly #waiting = new Set<Waiting>();
  /** Connections that the pool has been asked for and has not given yet: no fewer than there are who wait. */
  #asked = 0;

  constructor({ pool, statementMs, acquireShare, plansMs = PLANS_MS }: BoundedPoolOptions) {
    this.#pool = pool;
    this.#statementMs = statementMs;
    this.#acquireShare = acquireShare;
    this.#plansMs = plansMs;
  }

  /**
   * A connection, bounded by what the present request has left.
   * @throws DatabaseTimeoutError when it does not come in time; Problem overloaded when the partner's share is in use.
   */
  async connect(): Promise<pg.PoolClient> {
    const found = findRequestScope();
    const scope = this.#acquireShare === undefined && found?.isOfProcess !== true ? undefined : found;
    const limitMs = scope?.leftMs ?? this.#statementMs;
    const until = performance.now() + limitMs;
    scope?.beginWait();
    try {
      const endTurn = await this.#waitForTurn(scope, limitMs);
      try {
        return this.#lend(await this.#waitForClient(until - performance.now()), scope, endTurn);
      } catch (error) {
        endTurn();
        throw error;
      }
    } finally {
      scope?.endWait();
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  get options(): pg.PoolOptions {
    return this.#pool.options;
  }

  async #waitForTurn(scope: RequestScope | undefined, limitMs: number): Promise<() => void> {
    if (this.#acquireShare === undefined) return () => undefined;
    if (limitMs <= 0) throw timeoutError();
    const partnerId = scope === undefined || scope.isOfProcess ? SERVICE : (scope.partnerId ?? ANONYMOUS);
    const address = partnerId === ANONYMOUS ? scope?.address : undefined;
    if (limitMs >= LONGEST_TURN_WAIT_MS) return this.#acquireShare(partnerId, undefined, address);
    const signal = AbortSignal.timeout(Math.ceil(limitMs));
    try {
      return await this.#acquireShare(partnerId, signal, address);
    } catch (error) {
      throw error === signal.reason ? timeoutError() : error;
    }
  }

  /**
   * A connection that is new, or that somebody gives back before that: to open one takes a hundred times as long as a statement does.
   * Rejects when none comes within `leftMs`, or when the database refuses one and none is asked for in its place.
   */
  #waitForClient(leftMs: number): Promise<pg.PoolClient> {
    if (leftMs <= 0) return Promise.reject(timeoutError());
    const { promise, resolve, reject } = Promise.withResolvers<pg.PoolClient>();
    const leave = (): void => {
      clearTimeout(timer);
      this.#waiting.delete(waiting);
    };
    const waiting: Waiting = {
      take: (client) => {
        leave();
        resolve(client);
      },
      fail: (error) => {
        leave();
        reject(error);
      },
    };
    const timer = setTimeout(() => waiting.fail(timeoutError()), leftMs);
    this.#waiting.add(waiting);
    void this.#ask();
    return promise;
  }

  /** Asks the pool for a connection, for whoever waits longest when it comes. Never rejects. */
  async #ask(): Promise<void> {
    this.#asked += 1;
    try {
      const client = await this.#pool.connect();
      this.#asked -= 1;
      this.#hand(client);
    } catch (error) {
      this.#asked -= 1;
      if (this.#asked >= this.#waiting.size) return;
      // One that is not opened in time may have been lost on its way: another one is tried.
      if (isConnectTimeout(error)) void this.#ask();
      else this.#waiting.values().next().value?.fail(error);
    }
  }

  /** Gives the connection to whoever waits longest, or back to the pool. */
  #hand(client: pg.PoolClient): void {
    const [first] = this.#waiting;
    if (first === undefined) client.release();
    else first.take(client);
  }

  #lend(client: pg.PoolClient, scope: RequestScope | undefined, endTurn: () => void): pg.PoolClient {
    let bound = this.#bounds.get(client);
    const nowMs = performance.now();
    if (bound === undefined) {
      bound = {
        scope,
        statementMs: this.#statementMs,
        isSpoiled: false,
        isLeftAtWork: false,
        plansSinceMs: nowMs,
      };
      this.#bounds.set(client, bound);
      boundStatements(client, bound);
    }
    bound.scope = scope;
    if (nowMs - bound.plansSinceMs >= this.#plansMs) discardPlans(client, bound, nowMs);
    const lent = bound;
    const release = client.release.bind(client);
    const releaseWithTurn: typeof client.release = (destroy) => {
      const isOver = lent.isSpoiled || lent.brokenBy !== undefined || Boolean(destroy);
      client.release = release;
      if (isOver) release(true);
      else this.#hand(client);
      if (lent.isLeftAtWork) setTimeout(endTurn, TURN_OF_LEFT_STATEMENT_MS).unref();
      else endTurn();
    };
    client.release = releaseWithTurn;
    return client;
  }
}

/** The caller's statement follows behind; when this one fails, so does that. */
function discardPlans(client: pg.ClientBase, bound: StatementBound, nowMs: number): void {
  bound.plansSinceMs = nowMs;
  client.query('discard plans').catch(() => undefined);
}

const isConnectTimeout = (error: unknown): boolean =>
  error instanceof DatabaseTimeoutError || (error instanceof Error && CONNECT_TIMEOUTS.test(error.message));

const timeoutError = (): DatabaseTimeoutError =>
  new DatabaseTimeoutError('No connection to the database was had in time.');
