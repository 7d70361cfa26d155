// Writes what the migrations make of an empty database: migrations/schema.sql, which a reviewer compares, and the row
// types in generated/database.ts. With --check it compares both instead. The project's folder may be named.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readSchemaCatalogue } from '../../src/queries/connection/catalogue.ts';
import type { Catalogue } from '../../src/queries/connection/catalogue.ts';
import { startEmbeddedDatabase } from '../../src/postgres/start.ts';
import { applyMigrations } from '../../src/queries/connection/migrations.ts';
import { writeOrCheckFiles } from './files.ts';
import { formatSchemaSql } from './schema-text.ts';
import { formatDatabaseTypes } from './schema-types.ts';

/** The catalogue of a throw-away database with these migrations. */
async function catalogueOf(migrationsFolder: string): Promise<Catalogue> {
  const dataDir = mkdtempSync(join(tmpdir(), 'partner-schema-'));
  const silent = { info: () => undefined, warn: () => undefined, error: console.error };
  try {
    const embedded = await startEmbeddedDatabase({
      dataDir,
      log: silent,
      settings: { fsync: 'off' },
      onFatal: (error) => {
        throw error;
      },
    });
    try {
      await applyMigrations(embedded.connection, migrationsFolder);
      return await readSchemaCatalogue(embedded.connection);
    } finally {
      await embedded.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const named = process.argv.slice(2).find((argument) => !argument.startsWith('--'));
const root = resolve(named ?? join(import.meta.dirname, '../..'));
const catalogue = await catalogueOf(join(root, 'migrations'));
writeOrCheckFiles(
  new Map([
    [join(root, 'migrations/schema.sql'), formatSchemaSql(catalogue)],
    [join(root, 'generated/database.ts'), formatDatabaseTypes(catalogue)],
  ]),
  process.argv.includes('--check'),
);
