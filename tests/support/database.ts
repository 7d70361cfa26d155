// A database of its own for a test file: a clone of one migrated template on the server that global-setup.ts started
// (or on TEST_DATABASE_URL). A clone takes some 30 ms.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { openDatabase } from '../../src/queries/connection/database.ts';
import type { Db } from '../../src/queries/connection/database.ts';

/** Set by global-setup.ts. */
export const SERVER_VARIABLE = 'TEST_DATABASE_SERVER';

/** Tries to drop a database to which others connect. */
const MOST_DROPS = 10;

export interface TestServer {
  readonly connection: pg.ClientConfig;
  readonly template: string;
  /** Other servers on which every database is made too, as those of a distributed one are. */
  readonly others: readonly pg.ClientConfig[];
}

export interface TestDatabase {
  readonly db: Db;
  readonly pool: pg.Pool;
  /** For openDatabase, migrate or a client of the test's own. */
  readonly connection: pg.ClientConfig;
  /** That one, and those to the other servers that have a part of it. */
  readonly everywhere: readonly pg.ClientConfig[];
  /** The same as DATABASE_URL, for a program that the test starts. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** In place of `pg_locks`: those of this database alone, since the server has others, with tests of their own. */
export const OWN_LOCKS =
  'pg_locks join pg_database own on own.oid = database and own.datname = current_database()';

/** A migrated database, empty. Call close() in afterAll. */
export async function testDatabase(): Promise<TestDatabase> {
  const server = testServer();
  return create(server, server.template);
}

/** A database without any table. */
export async function emptyDatabase(): Promise<TestDatabase> {
  return create({ ...testServer(), others: [] }, 'template1');
}

/** The server of this run of tests. */
export function testServer(): TestServer {
  const text = process.env[SERVER_VARIABLE];
  if (text === undefined)
    throw new Error(
      'Run the tests with tests/style/vitest.config.ts: its global setup starts their database.',
    );
  return JSON.parse(text) as TestServer;
}

async function create(server: TestServer, template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const onAll = (statement: string): Promise<unknown> =>
    Promise.all([server.connection, ...server.others].map((each) => executeOnServer(each, statement)));
  await onAll(`create database ${name} template ${template}`);
  const connection = withDatabase(server.connection, name);
  const { db, pool, close } = openDatabase({ connection, max: 10, applicationName: 'test' });
  return {
    db,
    pool,
    connection,
    everywhere: [connection, ...server.others.map((each) => withDatabase(each, name))],
    url: urlOf(connection),
    close: async () => {
      await close();
      await Promise.all([server.connection, ...server.others].map((each) => dropDatabase(each, name)));
    },
  };
}

/** Servers of a distributed database connect to each other's parts at any time, and keep one from being dropped just then. */
async function dropDatabase(server: pg.ClientConfig, name: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await executeOnServer(server, `drop database ${name} with (force)`);
      return;
    } catch (error) {
      const isInUse = error instanceof pg.DatabaseError && error.code === '55006';
      if (!isInUse || tries === MOST_DROPS) throw error;
    }
  }
}

export async function executeOnServer(server: pg.ClientConfig, statement: string): Promise<void> {
  const client = new pg.Client(server);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The same server, another database. */
export function withDatabase(server: pg.ClientConfig, database: string): pg.ClientConfig {
  if (server.connectionString === undefined) return { ...server, database };
  return {
    connectionString: server.connectionString.replace(
      /^(\w+:\/\/[^/]*\/?)[^?]*/,
      (_, start: string) => `${start.replace(/\/?$/, '/')}${database}`,
    ),
  };
}

/** The address of a database, as DATABASE_URL has it: a unix socket's directory stands in the query, where pg looks for it. */
export function urlOf({ connectionString, user, host, port, database }: pg.ClientConfig): string {
  if (connectionString !== undefined) return connectionString;
  return `postgresql://${user ?? ''}@/${database ?? ''}?host=${encodeURIComponent(host ?? '')}&port=${port ?? 5432}`;
}
