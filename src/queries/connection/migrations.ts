// Brings a database to the schema that this program was written for.
//
// Migrations are files migrations/NNNN-name.sql, forward only. Each runs in its own transaction, which also records that it
// was applied; one that builds an index concurrently cannot, and is begun anew until it is recorded. Any number of processes may
// start at once: one applies them, the others wait and find nothing to do. Those that serve meanwhile are not held up:
// a migration that waits for a lock, before which all others wait, gives up soon and comes again later.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { cutOff, endClient } from './bounded-client.ts';
import { GuardedClient } from './guarded-client.ts';
import { applySessionSettings, KEEPALIVE } from './session-settings.ts';

interface Migration {
  /** File name: 0001-first-tables.sql */
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** The key of an advisory lock; arbitrary, and used by no other lock of the program. */
export const MIGRATION_LOCK_KEY = 7_201_911_482;
/** How often a process that waits for another one's migrations looks whether they are done. */
const TURN_MS = 100;

/** The name of the session to the server. */
const MIGRATING = 'partner migrations';

export interface LockPatience {
  /** How long a statement waits for a lock: so long it holds up those that come behind it. */
  readonly waitMs: number;
  /** Until the next try: those that were held up go on. */
  readonly pauseMs: number;
  readonly tries: number;
}

const LOCK_PATIENCE: LockPatience = { waitMs: 500, pauseMs: 1_000, tries: 60 };
const CONNECT_MS = 10_000;
/** SQLSTATE of a statement that waited too long for a lock. */
const LOCK_NOT_AVAILABLE = '55P03';
/** A change of a large table takes its time, and an index that is built concurrently waits for all transactions before it. */
const NO_LIMIT = 0;

export interface MigrationOptions {
  /** Ends the migration that is under way, of which nothing remains, and rejects with the reason. */
  readonly signal?: AbortSignal;
  /** Hears what a migration waits for. */
  readonly onWait?: (reason: string) => void;
  readonly patience?: LockPatience;
}

type Migrating = Required<Pick<MigrationOptions, 'onWait' | 'patience'>> & {
  readonly signal: AbortSignal | undefined;
};

/**
 * Applies the migrations of `folder` that the database does not have yet; returns the names of their files. Throws, and
 * changes nothing, when the database has a migration that the folder lacks or has with another content. Throws when a
 * migration fails; those before it stay applied.
 */
export async function applyMigrations(
  connection: pg.ClientConfig | string,
  folder: string,
  { signal, onWait = () => undefined, patience = LOCK_PATIENCE }: MigrationOptions = {},
): Promise<string[]> {
  const migrations = readMigrations(folder);
  const parts = typeof connection === 'string' ? { connectionString: connection } : connection;
  const client = new GuardedClient({
    ...parts,
    application_name: MIGRATING,
    connectionTimeoutMillis: CONNECT_MS,
    // A statement has no limit here: nobody else would notice that the machine of the database has gone.
    ...KEEPALIVE,
  });
  // A running query rejects by itself; without a listener the event would end the process.
  client.on('error', () => undefined);
  const abort = (): void => void cutOff(client, 0);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    signal?.throwIfAborted();
    await client.connect();
    await applySessionSettings(client, { statementMs: NO_LIMIT, lockMs: NO_LIMIT });
    return await applyPending(client, migrations, { signal, onWait, patience });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
    await endClient(client);
  }
}

async function applyPending(
  client: pg.Client,
  migrations: Migration[],
  migrating: Migrating,
): Promise<string[]> {
  await waitForTurn(client, migrating);
  await client.query(
    `create table if not exists schema_migrations (
       name text primary key, checksum text not null, applied_at timestamptz(3) not null default now())`,
  );
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations order by name collate "C"',
  );
  const pending = unapplied(migrations, rows);
  for (const migration of pending) await applyPatiently(client, migration, migrating);
  return pending.map(({ name }) => name);
}

/**
 * Resolves when no other process migrates. The lock is the session's, so that it spans the transactions; a killed process gives it up.
 * Asked again and again: a statement that waited would have a snapshot, for whose end an index that is built concurrently waits.
 */
async function waitForTurn(client: pg.Client, { signal, onWait }: Migrating): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      MIGRATION_LOCK_KEY,
    ]);
    if (rows[0]?.taken === true) return;
    if (tries === 1) onWait('another process migrates the database');
    await pause(TURN_MS, undefined, { signal });
  }
}

async function applyPatiently(
  client: pg.Client,
  migration: Migration,
  { signal, onWait, patience }: Migrating,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await apply(client, migration, patience);
      return;
    } catch (error) {
      if (!isLockMissing(error) || tries === patience.tries) throw error;
      onWait(`${migration.name} did not get its lock`);
    }
    await pause(patience.pauseMs, undefined, { signal });
  }
}

function isLockMissing(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof pg.DatabaseError && cause.code === LOCK_NOT_AVAILABLE;
}

function readMigrations(folder: string): Migration[] {
  const names = readdirSync(folder)
    .filter((name) => /^\d.*\.sql$/.test(name))
    .sort();
  return names.map((name, index) => {
    const number = String(index + 1).padStart(4, '0');
    if (!/^\d{4}-[a-z0-9-]+\.sql$/.test(name) || !name.startsWith(number)) {
      throw new Error(
        `Migration ${name} should be named ${number}-some-words.sql: numbers run from 0001 without gap or repeat.`,
      );
    }
    // Git may write line ends of the platform.
    const sql = readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n');
    return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
  });
}

function unapplied(migrations: Migration[], applied: { name: string; checksum: string }[]): Migration[] {
  for (const [index, { name, checksum }] of applied.entries()) {
    const known = migrations[index];
    if (known?.name !== name) {
      throw new Error(
        `The database has migration ${name}, which this version of the program does not have: it was used by a newer one. Start that version again.`,
      );
    }
    if (known.checksum !== checksum) {
      throw new Error(
        index === 0
          ? `The tables of this database were made by an unreleased version of the program (its ${name} differs): remove the data folder (.data unless DATA_DIR names another), or point DATABASE_URL to an empty database, and start again.`
          : `Migration ${name} was changed after this database had applied it: restore the file as it was released.`,
      );
    }
  }
  return migrations.slice(applied.length);
}

async function apply(client: pg.Client, migration: Migration, patience: LockPatience): Promise<void> {
  const { name, sql } = migration;
  try {
    const index = findConcurrentIndex(sql);
    if (index === undefined) await applyInTransaction(client, migration, patience);
    else await buildIndex(client, migration, index);
  } catch (cause) {
    const line =
      cause instanceof pg.DatabaseError && cause.position !== undefined
        ? `, line ${lineAt(sql, Number(cause.position))}`
        : '';
    throw new Error(
      `Migration ${name}${line} failed: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
}

async function applyInTransaction(
  client: pg.Client,
  migration: Migration,
  { waitMs }: LockPatience,
): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`select set_config('lock_timeout', $1, true)`, [String(waitMs)]);
    await client.query(migration.sql);
    await record(client, migration);
    await client.query('commit');
  } catch (cause) {
    // The cause counts, also when the connection is gone and nothing can be rolled back any more.
    await client.query('rollback').catch(() => undefined);
    throw cause;
  }
}

/** The name of the index that is all that the migration builds, while others write. */
function findConcurrentIndex(sql: string): string | undefined {
  return /^create\s+(?:unique\s+)?index\s+concurrently\s+(\w+)\s+on\s/im.exec(sql)?.[1];
}

/** An earlier try that was ended has left the index, which is not valid. Waits for old transactions, and holds nobody up meanwhile. */
async function buildIndex(client: pg.Client, migration: Migration, index: string): Promise<void> {
  await client.query(`drop index concurrently if exists ${pg.escapeIdentifier(index)}`);
  await client.query(migration.sql);
  await record(client, migration);
}

async function record(client: pg.Client, { name, checksum }: Migration): Promise<void> {
  await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum]);
}

const lineAt = (sql: string, position: number): number => sql.slice(0, position).split('\n').length;
