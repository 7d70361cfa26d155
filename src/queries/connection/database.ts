// The connection to PostgreSQL: how values are read, and which errors mean that the database is away.
import { once } from 'node:events';
import { Kysely, PostgresDialect } from 'kysely';
import type { Transaction } from 'kysely';
import pg from 'pg';
import type { Database } from '../../../generated/database.ts';
import { CLOSE_MS, cutOff } from './bounded-client.ts';
import { BoundedPool } from './bounded-pool.ts';
import type { AcquireShare } from './bounded-pool.ts';
import { violatedConstraint, isDatabaseUnavailable } from './database-errors.ts';
import { applySessionSettings, CONNECT_MS } from './session-settings.ts';

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

/** The kernel asks after an idle connection's other side, which a failover may have taken away. */
const KEEPALIVE_MS = 10_000;

/** The configuration of a pg client that reads values as the program expects them (`getTypeParser`). */
export function toClientConfig(connection: pg.ClientConfig | string): pg.ClientConfig {
  return {
    ...(typeof connection === 'string' ? { connectionString: connection } : connection),
    types: { getTypeParser },
  };
}

/** Long statements of tools and commands end too. */
const DEFAULT_STATEMENT_MS = 60_000;

/** Opens a pool of connections, each made when it is first needed: it succeeds also while the database is away. */
export function openDatabase({
  connection,
  max = 10,
  applicationName = 'partner',
  statementMs = DEFAULT_STATEMENT_MS,
  acquireShare,
  plansMs,
  onIdleError,
}: DatabaseOptions): OpenDatabase {
  const config = {
    ...toClientConfig(connection),
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_MS,
  };
  const pool = new pg.Pool({
    ...config,
    max,
    // The pool awaits it, which its types do not say.
    // eslint-disable-next-line @typescript-eslint/no-misused-promises
    onConnect: (client) => applySessionSettings(client, statementMs),
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
    await Promise.all([...connected].map((client) => once(client, 'end')));
    clearTimeout(timer);
  };
  const bounded = new BoundedPool({ pool, statementMs, acquireShare, plansMs });
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: bounded }) });
  let closed: Promise<void> | undefined;
  return { db, pool, config, close: () => (closed ??= end()) };
}

// The numbers of PostgreSQL's own types never change (pg_type.dat).
const INT8 = 20;
const NUMERIC = 1700;
const INT8_ARRAY = 1016;
const NUMERIC_ARRAY = 1231;
const DATE = 1082;
const TIMESTAMP = 1114;

/**
 * int8 and numeric are numbers (an int8 beyond 2^53 is an error, not a near value); timestamptz is a Date; date and
 * timestamp have no zone and stay text. All else as pg does it.
 */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (format !== 'binary') {
    if (oid === INT8) return parseExactInteger;
    if (oid === NUMERIC) return Number;
    if (oid === INT8_ARRAY) return (value) => parseNumberArray(value, parseExactInteger);
    if (oid === NUMERIC_ARRAY) return (value) => parseNumberArray(value, Number);
    if (oid === DATE || oid === TIMESTAMP) return String;
  }
  // pg's types name only some numbers; the parser takes any.
  return (pg.types.getTypeParser as (oid: number, format?: string) => (value: string) => unknown)(
    oid,
    format,
  );
}

function parseExactInteger(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number))
    throw new RangeError(`int8 ${value} is beyond what a number holds exactly.`);
  return number;
}

/** One-dimensional arrays of numbers: `{1,NULL,2}`. */
function parseNumberArray(value: string, parse: (entry: string) => number): (number | null)[] {
  const inside = value.slice(1, -1);
  return inside === '' ? [] : inside.split(',').map((entry) => (entry === 'NULL' ? null : parse(entry)));
}
