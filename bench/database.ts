// A database for one group.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedDatabase } from '../src/postgres/start.ts';
import { openDatabase } from '../src/queries/connection/database.ts';
import type { OpenDatabase } from '../src/queries/connection/database.ts';
import { applyMigrations } from '../src/queries/connection/migrations.ts';
import { urlOf } from '../tests/support/database.ts';

const none = (): void => undefined;
/** A million rows are written by one statement. */
const STATEMENT_MS = 600_000;

export interface BenchDatabase extends OpenDatabase {
  /** DATABASE_URL of a service on it. */
  readonly url: string;
  remove(): Promise<void>;
}

/** A database as `serve` embeds it, with fsync. */
export async function startDatabase(): Promise<BenchDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-bench-'));
  const embedded = await startEmbeddedDatabase({
    dataDir: folder,
    log: { info: none, warn: none, error: console.error },
    onFatal: (error) => {
      throw error;
    },
  });
  await applyMigrations(embedded.connection, join(import.meta.dirname, '../migrations'));
  const database = openDatabase({ connection: embedded.connection, statementMs: STATEMENT_MS });
  return {
    ...database,
    url: urlOf(embedded.connection),
    remove: async () => {
      await database.close();
      await embedded.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
