// The connection to PostgreSQL: how values are read, and which errors mean that the database is away.
import { once } from 'node:events';
import { Kysely, PostgresDialect } from 'kysely';
import type { Transaction } from 'kysely';
import pg from 'pg';
import Cursor from 'pg-cursor';
import type { Database } from '../../../generated/database.ts';
import { violatedConstraint, isUnavailable } from './database-errors.ts';

export { isUnavailable, violatedConstraint };

export type Db = Kysely<Database>;
/** A function that takes a Tx joins its caller's transaction and cannot be called without one. */
export type Tx = Transaction<Database>;

export interface DatabaseOptions {
  /** Where the database is: parts (the embedded one) or an address. */
  readonly connection: pg.ClientConfig | string;
  /** Connections at most; 10 by default. */
  readonly max?: number;
  readonly applicationName?: string;
  /** An idle connection broke. The pool opens another one: worth a line, no more. */
  readonly onIdleError?: (error: Error) => void;
}

export interface OpenDatabase {
  /** Lists of unknown length: `query.stream(rows)` reads through a cursor, that many rows at a time. */
  readonly db: Db;
  readonly pool: pg.Pool;
  /** For a dedicated client (LISTEN, session locks). */
  readonly config: pg.ClientConfig;
  readonly close: () => Promise<void>;
}

export function clientConfig(connection: pg.ClientConfig | string): pg.ClientConfig {
  return {
    ...(typeof connection === 'string' ? { connectionString: connection } : connection),
    types: { getTypeParser },
  };
}

export function openDatabase({
  connection,
  max = 10,
  applicationName = 'partner',
  onIdleError,
}: DatabaseOptions): OpenDatabase {
  const config = {
    ...clientConfig(connection),
    application_name: applicationName,
    // A caller waits this long for a connection and then gets 503.
    connectionTimeoutMillis: 5000,
    keepAlive: true,
  };
  const pool = new pg.Pool({ ...config, max });
  pool.on('error', (error) => onIdleError?.(error));
  const connected = new Set<pg.PoolClient>();
  pool.on('connect', (client) => {
    connected.add(client);
    planOnce(client);
    // A connection that breaks between two statements of a transaction has nobody who listens: the next statement
    // fails, and without this line the whole process would end.
    client.on('error', () => undefined);
    client.once('end', () => connected.delete(client));
  });
  // The pool says that it has ended before its connections have; a database that stops now would kill them.
  const end = async (): Promise<void> => {
    await pool.end();
    await Promise.all([...connected].map((client) => once(client, 'end')));
  };
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool, cursor: Cursor }) });
  let closed: Promise<void> | undefined;
  return { db, pool, config, close: () => (closed ??= end()) };
}

const plannedNames = new Map<string, string>();

/**
 * A statement that begins with the comment `planned` is parsed and planned once for each connection: for those whose planning
 * takes longer than their work. Their columns must be listed, since a changed result type fails on an old plan.
 */
function planOnce(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const planned = (text: unknown, values: unknown, ...rest: unknown[]): unknown => {
    if (typeof text !== 'string' || !text.startsWith('/* planned */')) return query(text, values, ...rest);
    const name = plannedNames.get(text) ?? `planned_${plannedNames.size}`;
    plannedNames.set(text, name);
    return query({ name, text, values }, ...rest);
  };
  client.query = planned as typeof client.query;
}

// The numbers of PostgreSQL's own types never change (pg_type.dat).
const int8 = 20;
const numeric = 1700;
const int8Array = 1016;
const numericArray = 1231;
const date = 1082;
const timestamp = 1114;

/**
 * int8 and numeric are numbers (an int8 beyond 2^53 is an error, not a near value); timestamptz is a Date; date and
 * timestamp have no zone and stay text. All else as pg does it.
 */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (format !== 'binary') {
    if (oid === int8) return exactInteger;
    if (oid === numeric) return Number;
    if (oid === int8Array) return (value) => listOf(value, exactInteger);
    if (oid === numericArray) return (value) => listOf(value, Number);
    if (oid === date || oid === timestamp) return String;
  }
  // pg's types name only some numbers; the parser takes any.
  return (pg.types.getTypeParser as (oid: number, format?: string) => (value: string) => unknown)(
    oid,
    format,
  );
}

function exactInteger(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number))
    throw new RangeError(`int8 ${value} is beyond what a number holds exactly.`);
  return number;
}

/** One-dimensional arrays of numbers: `{1,NULL,2}`. */
function listOf(value: string, parse: (entry: string) => number): (number | null)[] {
  const inside = value.slice(1, -1);
  return inside === '' ? [] : inside.split(',').map((entry) => (entry === 'NULL' ? null : parse(entry)));
}
