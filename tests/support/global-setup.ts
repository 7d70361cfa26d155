// Once for a whole test run: a throw-away PostgreSQL with the migrated template that test files clone.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type pg from 'pg';
import { startEmbedded } from '../../src/queries/embedded/start.ts';
import { migrate } from '../../src/queries/migrations.ts';
import { databaseOf, onServer, serverVariable } from './database.ts';
import type { TestServer } from './database.ts';
import tearDown, { onTeardown } from './global-teardown.ts';

export default async function setUp(): Promise<void> {
  try {
    await provide();
  } catch (error) {
    // Jest does not tear down after a failed setup.
    await tearDown();
    throw error;
  }
}

async function provide(): Promise<void> {
  const connection = await server();
  const template = `template_${randomBytes(6).toString('hex')}`;
  await onServer(connection, `create database ${template}`);
  onTeardown(() => onServer(connection, `drop database ${template} with (force)`));
  await migrate(databaseOf(connection, template), resolve(import.meta.dirname, '../../migrations'));
  // Workers are started later and inherit it.
  process.env[serverVariable] = JSON.stringify({ connection, template } satisfies TestServer);
}

async function server(): Promise<pg.ClientConfig> {
  const given = process.env.TEST_DATABASE_URL;
  if (given !== undefined && given !== '') return { connectionString: given };
  const dataDir = mkdtempSync(join(tmpdir(), 'partner-test-'));
  const embedded = await startEmbedded({
    dataDir,
    log: { info: () => undefined, warn: () => undefined, error: console.error },
    // Nothing here outlives the run, and test files run side by side.
    settings: { fsync: 'off', max_connections: '300' },
    onFatal: (error) => {
      throw error;
    },
  });
  onTeardown(async () => {
    await embedded.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return embedded.connection;
}
