// A server that follows another one, as every former primary does after a failover.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEmbeddedDatabase } from '../../../src/postgres/start.ts';
import type { EmbeddedDatabase } from '../../../src/postgres/start.ts';
import { isDatabaseUnavailable, openDatabase } from '../../../src/queries/connection/database.ts';
import { openReconnectingSession } from '../../../src/queries/connection/session.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'partner-standby-'));
const start = (): Promise<EmbeddedDatabase> =>
  startEmbeddedDatabase({
    dataDir,
    log: { info: () => {}, warn: () => {}, error: console.error },
    settings: { fsync: 'off' },
    onFatal: (error) => {
      throw error;
    },
  });

let server: EmbeddedDatabase;
beforeAll(async () => {
  const primary = await start();
  await primary.stop();
  writeFileSync(join(dataDir, 'postgres', 'standby.signal'), '');
  server = await start();
});
afterAll(async () => {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

test('a standby counts as away for requests, loops and sessions, until it is the primary', async () => {
  const database = openDatabase({ connection: server.connection });
  const read = () => sql<{ one: number }>`select 1 as one`.execute(database.db);
  const openSession = () =>
    openReconnectingSession(
      database.config,
      (client) => client.query('select pg_advisory_lock_shared(1, 1)'),
      () => {},
    );
  const refused = await read().catch((error: unknown) => error);
  expect([refused, isDatabaseUnavailable(refused)]).toMatchObject([{ code: '57P03' }, true]);
  await expect(openSession()).rejects.toMatchObject({ code: '57P03' });

  const admin = new pg.Client(server.connection);
  await admin.connect();
  expect((await admin.query('select pg_promote()')).rows).toEqual([{ pg_promote: true }]);
  await admin.end();
  expect((await read()).rows).toEqual([{ one: 1 }]);
  await (await openSession()).end();
  await database.close();
});
