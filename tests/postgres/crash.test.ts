import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { detectHostCapabilities } from '../../src/postgres/host.ts';
import { startEmbeddedDatabase } from '../../src/postgres/start.ts';
import type { EmbeddedDatabaseOptions } from '../../src/postgres/start.ts';
import {
  cleanUp,
  failLoudly,
  postmasterPid,
  query,
  removePrepared,
  runProgram,
  serversOn,
  silentLog,
  usedDataDirectory,
  until,
} from './harness.ts';

afterEach(cleanUp);
afterAll(removePrepared);

const options = (dataDir: string): EmbeddedDatabaseOptions => ({
  dataDir,
  log: silentLog,
  onFatal: failLoudly,
});

const host = detectHostCapabilities();

describe.each([
  ['the kernel', host],
  ['a watchdog', { ...host, setpriv: false }],
])('a program killed under writes, guarded by %s', (_, guard) => {
  async function killUnderWrites(dataDir: string): Promise<number[]> {
    const program = runProgram({ dataDir, kind: 'serve', write: true, host: guard });
    await program.ready;
    await until(() => program.acknowledged.length > 300);
    program.child.kill('SIGKILL');
    await program.ended;
    return program.acknowledged;
  }

  test('loses no acknowledged row and leaves no server', async () => {
    const dataDir = await usedDataDirectory();
    const acknowledged = await killUnderWrites(dataDir);
    await until(() => serversOn(dataDir).length === 0);
    const embedded = await startEmbeddedDatabase(options(dataDir));
    const rows = await query<{ n: number }>(embedded.connection, 'select n from written');
    const kept = new Set(rows.map(({ n }) => n));
    expect(acknowledged.filter((n) => !kept.has(n))).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(300);
    await embedded.stop();
  });

  test('is started again at once, while the former server is still dying', async () => {
    const dataDir = await usedDataDirectory();
    const acknowledged = await killUnderWrites(dataDir);
    const embedded = await startEmbeddedDatabase({ ...options(dataDir), host: guard });
    const [row] = await query<{ n: number }>(embedded.connection, 'select count(*)::int as n from written');
    expect(row?.n).toBeGreaterThanOrEqual(acknowledged.length);
    await embedded.stop();
    expect(serversOn(dataDir)).toEqual([]);
  });
});

describe('a database that dies', () => {
  test('is not ready, comes back with its rows, and is not fatal', async () => {
    const dataDir = await usedDataDirectory();
    const embedded = await startEmbeddedDatabase(options(dataDir));
    await query(embedded.connection, 'create table kept as select 7 as n');
    const former = postmasterPid(dataDir);
    process.kill(former, 'SIGKILL');
    await until(() => embedded.state() === 'restarting');
    await until(() => embedded.state() === 'ready');
    expect(postmasterPid(dataDir)).not.toBe(former);
    expect(await query(embedded.connection, 'select n from kept')).toEqual([{ n: 7 }]);
    await embedded.stop();
    expect(serversOn(dataDir)).toEqual([]);
  });

  test('and cannot come back is fatal, once, after its time', async () => {
    const dataDir = await usedDataDirectory();
    const told: Error[] = [];
    const embedded = await startEmbeddedDatabase({
      ...options(dataDir),
      restartTimeoutMs: 1000,
      onFatal: (error) => told.push(error),
    });
    const pid = postmasterPid(dataDir);
    renameSync(join(dataDir, 'postgres'), join(dataDir, 'moved'));
    process.kill(pid, 'SIGKILL');
    await until(() => embedded.state() === 'failed');
    await embedded.stop();
    expect(told.map(({ message }) => message)).toEqual([
      'The embedded database could not be started again within 1000 ms.',
    ]);
  });

  test('while the program stops, does not come back', async () => {
    const dataDir = await usedDataDirectory();
    const embedded = await startEmbeddedDatabase(options(dataDir));
    process.kill(postmasterPid(dataDir), 'SIGKILL');
    await until(() => embedded.state() === 'restarting');
    await embedded.stop();
    expect(embedded.state()).toBe('stopped');
    await until(() => serversOn(dataDir).length === 0);
  });
});

test('Ctrl-C leaves the program its database until it has ended its work', async () => {
  const dataDir = await usedDataDirectory();
  // A terminal sends SIGINT to the whole foreground process group; `detached` makes the program the leader of one.
  const program = runProgram({ dataDir, kind: 'serve' }, { detached: true });
  await program.ready;
  process.kill(-(program.child.pid ?? 0), 'SIGINT');
  expect(await program.ended).toEqual({ code: 0, stderr: '' });
  expect({ acknowledged: program.acknowledged, servers: serversOn(dataDir) }).toEqual({
    acknowledged: [0],
    servers: [],
  });
});
