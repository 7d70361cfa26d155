// A database for one group.
import { join } from 'node:path';
import { openDatabase } from '../src/queries/connection/database.ts';
import type { OpenDatabase } from '../src/queries/connection/database.ts';
import { applyMigrations } from '../src/queries/connection/migrations.ts';
import { urlOf } from '../tests/support/database.ts';
import { startTemporaryServer } from '../tests/support/temporary-server.ts';

/** A million rows are written by one statement. */
const STATEMENT_MS = 600_000;

export interface BenchDatabase extends OpenDatabase {
  /** DATABASE_URL of a service on it. */
  readonly url: string;
  remove(): Promise<void>;
}

/** A database as `serve` embeds it, with fsync. */
export async function startDatabase(): Promise<BenchDatabase> {
  const server = await startTemporaryServer();
  await applyMigrations(server.connection, join(import.meta.dirname, '../migrations'));
  const database = openDatabase({ connection: server.connection, statementMs: STATEMENT_MS });
  return {
    ...database,
    url: urlOf(server.connection),
    remove: async () => {
      await database.close();
      await server.remove();
    },
  };
}
