// The connection to PostgreSQL, and which errors mean that it is away.
import { Kysely, PostgresDialect } from 'kysely';
import type { Transaction } from 'kysely';
import pg from 'pg';
import type { Database } from '../../../generated/database.ts';
import { CLOSE_MS, cutOff } from './bounded-client.ts';
import { BoundedPool } from './bounded-pool.ts';
import type { AcquireShare } from './bounded-pool.ts';
import { violatedConstraint, isDatabaseUnavailable } from './database-errors.ts';
import { GuardedClient } from './guarded-client.ts';
import { applySessionSettings, CONNECT_MS, KEEPALIVE, LOCK_MS } from './session-settings.ts';
import { VALUE_TYPES } from './value-types.ts';

export { isDatabaseUnavailable, violatedConstraint };

export type Db = Kysely<Database>;
/** A transaction: a function that takes one is part of its caller's transaction and cannot be called without one. */
export type Tx = Transaction<Database>;

export interface DatabaseOptions {
  /** Where the database is: parts (the embedded one) or an address. */
  readonly connection: pg.ClientConfig | string;
  /** Connections at most; 10 by default. */
  readonly max?: number;
  /** Milliseconds that a statement, and a wait for a connection, may take outside of requests; 60 s by default. */
  readonly statementMs?: number;
  /** Milliseconds that a statement waits for a lock; 2 s by default. */
  readonly lockMs?: number;
  /** For the pool that serves requests: their scopes bound them, and their partners take turns. */
  readonly acquireShare?: AcquireShare;
  /** How long a connection keeps the plans of its prepared statements, in milliseconds; 5 s by default. */
  readonly plansMs?: number;
  readonly applicationName?: string;
  /** An idle connection broke. The pool opens another one: worth a line, no more. */
  readonly onIdleError?: (error: Error) => void;
}

export interface OpenDatabase {
  readonly db: Db;
  readonly pool: pg.Pool;
  /** For a dedicated client (LISTEN, session locks). */
  readonly config: pg.ClientConfig;
  readonly close: () => Promise<void>;
}

/** An idle connection is kept for this time: a request that needs another one waits for it to be opened. */
const IDLE_MS = 600_000;

/** The configuration of a pg client that reads values as the program expects them (`VALUE_TYPES`). */
export function toClientConfig(connection: pg.ClientConfig | string): pg.ClientConfig {
  return {
    ...(typeof connection === 'string' ? { connectionString: connection } : connection),
    types: VALUE_TYPES,
  };
}

/** Long statements of tools and commands end too. */
const DEFAULT_STATEMENT_MS = 60_000;

/** Also of a connection that breaks first: `once` of Node.js would reject with its error. */
const endOf = (client: pg.PoolClient): Promise<void> =>
  new Promise((resolve) => client.once('end', () => resolve()));

/** Opens a pool of connections, each made when it is first needed: it succeeds also while the database is away. */
export function openDatabase({
  connection,
  max = 10,
  applicationName = 'partner',
  statementMs = DEFAULT_STATEMENT_MS,
  lockMs = LOCK_MS,
  acquireShare,
  plansMs,
  onIdleError,
}: DatabaseOptions): OpenDatabase {
  const config = {
    ...toClientConfig(connection),
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_MS,
    ...KEEPALIVE,
  };
  const pool = new pg.Pool({
    ...config,
    Client: GuardedClient,
    max,
    idleTimeoutMillis: IDLE_MS,
    // The pool awaits it, which its types do not say.
    // eslint-disable-next-line @typescript-eslint/no-misused-promises
    onConnect: (client) => applySessionSettings(client, { statementMs, lockMs }),
  });
  pool.on('error', (error) => onIdleError?.(error));
  const connected = new Set<pg.PoolClient>();
  pool.on('connect', (client) => {
    connected.add(client);
    // When a connection breaks between two statements of a transaction, the next statement fails; without this listener the
    // event would end the whole process.
    client.on('error', () => undefined);
    client.once('end', () => connected.delete(client));
  });
  // pool.end() resolves before the connections have ended; a database that stops then would break them.
  const end = async (): Promise<void> => {
    const timer = setTimeout(() => connected.forEach((client) => cutOff(client, CLOSE_MS)), CLOSE_MS);
    await pool.end();
    await Promise.all([...connected].map(endOf));
    clearTimeout(timer);
  };
  const bounded = new BoundedPool({ pool, statementMs, acquireShare, plansMs });
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: bounded }) });
  let closed: Promise<void> | undefined;
  return { db, pool, config, close: () => (closed ??= end()) };
}
