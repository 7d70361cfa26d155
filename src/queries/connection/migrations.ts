// Brings a database to the schema that this program was written for.
//
// Migrations are files migrations/NNNN-name.sql, forward only. Each runs in its own transaction, which also records that it
// was applied. Any number of processes may start at once: one applies them, the others wait and find nothing to do.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

interface Migration {
  /** File name: 0001-first-tables.sql */
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** The key of an advisory lock; arbitrary, and used by no other lock of the program. */
const MIGRATION_LOCK_KEY = 7_201_911_482;

/**
 * Applies the migrations of `folder` that the database does not have yet; returns the names of their files. Throws, and
 * changes nothing, when the database has a migration that the folder lacks or has with another content. Throws when a
 * migration fails; those before it stay applied.
 */
export async function applyMigrations(
  connection: pg.ClientConfig | string,
  folder: string,
): Promise<string[]> {
  const migrations = readMigrations(folder);
  const client = new pg.Client(connection);
  // A running query rejects by itself; without a listener the event would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    // Held by the session, so that it spans the transactions; a killed process gives it up.
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK_KEY]);
    await client.query(
      `create table if not exists schema_migrations (
         name text primary key, checksum text not null, applied_at timestamptz(3) not null default now())`,
    );
    const { rows } = await client.query<{ name: string; checksum: string }>(
      'select name, checksum from schema_migrations order by name collate "C"',
    );
    const pending = unapplied(migrations, rows);
    for (const migration of pending) await apply(client, migration);
    return pending.map(({ name }) => name);
  } finally {
    await client.end();
  }
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

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(sql);
    await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum]);
    await client.query('commit');
  } catch (cause) {
    // The cause counts, also when the connection is gone and nothing can be rolled back any more.
    await client.query('rollback').catch(() => undefined);
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

const lineAt = (sql: string, position: number): number => sql.slice(0, position).split('\n').length;
