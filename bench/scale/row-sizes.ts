// How many bytes a row of each table takes, its part of the indexes included, measured on a PostgreSQL of its own.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { applyMigrations } from '../../src/queries/connection/migrations.ts';
import { startTemporaryServer } from '../../tests/support/temporary-server.ts';
import { MEASURED_ROWS, sampleStatements } from './row-samples.ts';

const MIGRATIONS = join(import.meta.dirname, '../../migrations');

/** Bytes of a row by table: tables are filled with MEASURED_ROWS rows each, in a random order of their ids. */
export async function measureRowSizes(): Promise<Record<string, number>> {
  const server = await startTemporaryServer({ fsync: 'off' });
  try {
    await applyMigrations(server.connection, MIGRATIONS);
    const client = new pg.Client(server.connection);
    await client.connect();
    try {
      return await measureTables(client);
    } finally {
      await client.end();
    }
  } finally {
    await server.remove();
  }
}

/** The same in a migrated database without rows, as its superuser. */
export async function measureTables(client: pg.ClientBase): Promise<Record<string, number>> {
  // Without the checks of keys and without triggers: rows of one table need none of another.
  await client.query('set session_replication_role = replica');
  const sizes: Record<string, number> = {};
  for (const [table, { text, values }] of Object.entries(sampleStatements(randomUUID()))) {
    await client.query(text, values);
    const { rows } = await client.query<{ bytes: string }>(
      'select pg_total_relation_size($1::regclass) as bytes',
      [table],
    );
    sizes[table] = Math.round(Number(rows[0]?.bytes) / MEASURED_ROWS);
  }
  return sizes;
}
