// Once for a whole test run: a throw-away PostgreSQL with the migrated template that test files clone.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type pg from 'pg';
import { applyMigrations } from '../../src/queries/connection/migrations.ts';
import { COVERAGE_FILE_VARIABLE } from './api-client.ts';
import { listUncovered } from './operation-coverage.ts';
import { withDatabase, executeOnServer, SERVER_VARIABLE } from './database.ts';
import type { TestServer } from './database.ts';
import { COMPILE_CACHE } from './service.ts';
import { startTemporaryServer } from './temporary-server.ts';

type Undo = () => Promise<void>;

const undone: Undo[] = [];

function onTeardown(undo: Undo): void {
  undone.push(undo);
}

/** Undoes what was set up, last first. */
async function tearDown(): Promise<void> {
  for (const undo of undone.reverse()) await undo();
}

export default async function setUp(): Promise<() => Promise<void>> {
  recordCoverage();
  try {
    await provide();
    return tearDown;
  } catch (error) {
    // A failed setup is not torn down by the runner.
    await tearDown();
    throw error;
  }
}

async function provide(): Promise<void> {
  const connection = await server();
  const template = process.env['TEST_DATABASE_TEMPLATE'] ?? (await makeTemplate(connection));
  const urls = process.env['TEST_DATABASE_OTHERS']?.split(' ') ?? [];
  const others = urls.map((connectionString) => ({ connectionString }));
  // Workers are started later and inherit both.
  process.env['NODE_COMPILE_CACHE'] ??= COMPILE_CACHE;
  process.env[SERVER_VARIABLE] = JSON.stringify({ connection, template, others } satisfies TestServer);
}

async function makeTemplate(connection: pg.ClientConfig): Promise<string> {
  const template = `template_${randomBytes(6).toString('hex')}`;
  await executeOnServer(connection, `create database ${template}`);
  onTeardown(() => executeOnServer(connection, `drop database ${template} with (force)`));
  await applyMigrations(withDatabase(connection, template), resolve(import.meta.dirname, '../../migrations'));
  return template;
}

async function server(): Promise<pg.ClientConfig> {
  const given = process.env.TEST_DATABASE_URL;
  if (given !== undefined && given !== '') return { connectionString: given };
  // Nothing here outlives the run, and test files run side by side.
  const server = await startTemporaryServer({ fsync: 'off', max_connections: '300' });
  onTeardown(() => server.remove());
  return server.connection;
}

/** Test processes record the pairs and codes that they saw; a whole run must have seen them all. */
function recordCoverage(): void {
  const file = join(mkdtempSync(join(tmpdir(), 'partner-coverage-')), 'coverage');
  writeFileSync(file, '');
  process.env[COVERAGE_FILE_VARIABLE] = file;
  onTeardown(async () => {
    const notes = readFileSync(file, 'utf8').split('\n');
    rmSync(dirname(file), { recursive: true });
    const missing = process.env['WHOLE_TEST_RUN'] === 'yes' ? listUncovered(notes) : [];
    if (missing.length > 0) throw new Error(`No test has reached: ${missing.join(', ')}.`);
  });
}
