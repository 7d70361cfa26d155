import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findInstalledBinaries } from '../../src/postgres/binaries.ts';
import { joinOrStartEmbeddedDatabase, startEmbeddedDatabase } from '../../src/postgres/start.ts';
import type { EmbeddedDatabaseOptions } from '../../src/postgres/start.ts';
import {
  cleanUp,
  failLoudly,
  query,
  removePrepared,
  runProgram,
  serversOn,
  silentLog,
  temporaryFolder,
  usedDataDirectory,
} from './harness.ts';

afterEach(cleanUp);
afterAll(removePrepared);

const options = (dataDir: string): EmbeddedDatabaseOptions => ({
  dataDir,
  log: silentLog,
  onFatal: failLoudly,
});

describe('a data directory', () => {
  test('is made at the first start, kept at the next, and reached through a private socket alone', async () => {
    const dataDir = join(temporaryFolder(), 'deep', 'data');
    const first = await startEmbeddedDatabase(options(dataDir));
    expect(lstatSync(first.connection.host).mode & 0o777).toBe(0o700);
    expect(
      await query(
        first.connection,
        `select name, setting from pg_settings
        where name in ('listen_addresses', 'fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums') order by 1`,
      ),
    ).toEqual([
      { name: 'data_checksums', setting: 'on' },
      { name: 'fsync', setting: 'on' },
      { name: 'full_page_writes', setting: 'on' },
      { name: 'listen_addresses', setting: '' },
      { name: 'synchronous_commit', setting: 'on' },
    ]);
    await query(first.connection, 'create table kept as select 7 as n');
    await first.stop();
    expect(first.state()).toBe('stopped');
    expect({ servers: serversOn(dataDir), socket: existsSync(first.connection.host) }).toEqual({
      servers: [],
      socket: false,
    });

    const second = await startEmbeddedDatabase(options(dataDir));
    expect(await query(second.connection, 'select n from kept')).toEqual([{ n: 7 }]);
    await second.stop();
    expect(readdirSync(dataDir).sort()).toEqual(['lock', 'postgres']);
  });

  test('that cannot be written any more has no server left when it is stopped', async () => {
    const dataDir = temporaryFolder();
    const embedded = await startEmbeddedDatabase(options(dataDir));
    rmSync(join(dataDir, 'owner.json'));
    mkdirSync(join(dataDir, 'owner.json'));
    await embedded.stop();
    expect([serversOn(dataDir), embedded.state()]).toEqual([[], 'stopped']);
    rmSync(join(dataDir, 'owner.json'), { recursive: true });
    const again = await startEmbeddedDatabase(options(dataDir));
    await again.stop();
  });

  test('whose making was cut short is made anew', async () => {
    const dataDir = temporaryFolder();
    mkdirSync(join(dataDir, 'postgres.new'));
    writeFileSync(join(dataDir, 'postgres.new', 'PG_VERSION'), '18\n');
    const embedded = await startEmbeddedDatabase(options(dataDir));
    expect(await query(embedded.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await embedded.stop();
  });

  test('with a pid file that names a living stranger starts', async () => {
    const dataDir = await usedDataDirectory();
    // After a restart of a container the number is often another program's: here this test's own.
    writeFileSync(
      join(dataDir, 'postgres', 'postmaster.pid'),
      `${process.pid}\n${dataDir}/postgres\n1\n5432\n\n\n\n`,
    );
    const embedded = await startEmbeddedDatabase(options(dataDir));
    expect(embedded.state()).toBe('ready');
    await embedded.stop();
  });

  test('longer than a socket address works', async () => {
    const dataDir = join(temporaryFolder(), 'a-rather-long-name'.repeat(8), 'b'.repeat(80));
    const embedded = await startEmbeddedDatabase(options(dataDir));
    expect(await query(embedded.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await embedded.stop();
  });

  test('keeps letter case and order whatever the locale of the machine', async () => {
    const embedded = await startEmbeddedDatabase(options(temporaryFolder()));
    expect(await query(embedded.connection, `select lower('ÄÉ') as lower, 'a' > 'B' as bytes`)).toEqual([
      { lower: 'äé', bytes: true },
    ]);
    await embedded.stop();
  });
});

describe('one owner', () => {
  test('a second serve is refused by directory and process, a command joins, and both leave the first alone', async () => {
    const dataDir = await usedDataDirectory();
    const serve = runProgram({ dataDir, kind: 'serve' });
    const { connection } = await serve.ready;
    await expect(startEmbeddedDatabase(options(dataDir))).rejects.toThrow(
      `DATA_DIR ${dataDir} is in use by process ${serve.child.pid ?? 0} (serve): stop it, or choose another DATA_DIR.`,
    );
    const command = await joinOrStartEmbeddedDatabase(options(dataDir));
    expect({ joined: command.joined, connection: command.connection }).toEqual({ joined: true, connection });
    await query(command.connection, 'create table by_command ()');
    await command.stop();
    expect(await query(connection, 'select count(*)::int as n from by_command')).toEqual([{ n: 0 }]);
    serve.child.kill('SIGTERM');
    expect(await serve.ended).toEqual({ code: 0, stderr: '' });
  });

  test('a command joins a serve that is still starting', async () => {
    const dataDir = await usedDataDirectory();
    const serve = runProgram({ dataDir, kind: 'serve' });
    const command = runProgram({ dataDir, kind: 'command' });
    // Whoever is first, both come to the same database: the serve waits for a command, a command joins the serve.
    const { joined, connection } = await command.ready;
    if (!joined) command.child.kill('SIGTERM');
    expect((await serve.ready).connection).toEqual(connection);
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('a serve waits for a command that has the directory, and a second command waits too', async () => {
    const dataDir = await usedDataDirectory();
    const command = runProgram({ dataDir, kind: 'command' });
    expect(await command.ready).toMatchObject({ joined: false });
    await expect(startEmbeddedDatabase({ ...options(dataDir), waitMs: 200 })).rejects.toThrow('(command)');
    await expect(joinOrStartEmbeddedDatabase({ ...options(dataDir), waitMs: 200 })).rejects.toThrow(
      '(command)',
    );
    const serve = startEmbeddedDatabase(options(dataDir));
    command.child.kill('SIGTERM');
    const embedded = await serve;
    expect(embedded.state()).toBe('ready');
    await embedded.stop();
  });

  test('a serve waits for one that is stopping', async () => {
    const dataDir = await usedDataDirectory();
    const leaving = await startEmbeddedDatabase(options(dataDir));
    const stopped = leaving.stop();
    const next = await startEmbeddedDatabase(options(dataDir));
    await stopped;
    expect(await query(next.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await next.stop();
  });
});

describe('the installed package', () => {
  test('without library links, as npm unpacks it, works', async () => {
    const folder = temporaryFolder(0o755);
    const native = join(folder, 'native');
    cpSync(findInstalledBinaries(), native, { recursive: true, verbatimSymlinks: true });
    for (const name of readdirSync(join(native, 'lib'))) {
      if (lstatSync(join(native, 'lib', name)).isSymbolicLink()) rmSync(join(native, 'lib', name));
    }
    expect(existsSync(join(native, 'lib', 'libicuuc.so.60'))).toBe(false);
    const embedded = await startEmbeddedDatabase({ ...options(join(folder, 'data')), binaries: native });
    expect(await query(embedded.connection, `do $$ begin perform 1; end $$; `)).toEqual([]);
    await embedded.stop();
  });

  test('that does not run is told apart, with the way out', async () => {
    const folder = temporaryFolder(0o755);
    mkdirSync(join(folder, 'native', 'bin'), { recursive: true });
    writeFileSync(join(folder, 'native', 'bin', 'postgres'), '#!/bin/sh\necho no such luck >&2; exit 1\n', {
      mode: 0o755,
    });
    const started = startEmbeddedDatabase({
      ...options(join(folder, 'data')),
      binaries: join(folder, 'native'),
    });
    await expect(started).rejects.toThrow(/DATABASE_URL[^]*no such luck/);
  });
});
