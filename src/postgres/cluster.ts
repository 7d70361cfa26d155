// The files of the database: created once, completely, and never opened by two servers.
import { spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clusterFolderOf } from './cluster-folder.ts';
import { changeClusterOwner, runPostgresProgram } from './launcher.ts';
import type { Launcher } from './launcher.ts';
import type { EmbeddedLog } from './log.ts';

/** The only user of the embedded database. */
export const DATABASE_USER = 'partner';

/**
 * Creates the database's files (PostgreSQL: a cluster) unless they are there. initdb writes into a temporary folder,
 * which is then renamed: a folder of the final name is complete. Throws when initdb fails.
 */
export function createClusterIfMissing(
  dataDir: string,
  launcher: Launcher,
  isDurable: boolean,
  log: EmbeddedLog,
): void {
  const folder = clusterFolderOf(dataDir);
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith('postgres.new')) rmSync(join(dataDir, name), { recursive: true });
  }
  if (existsSync(folder)) {
    changeClusterOwner(dataDir, launcher);
    return;
  }
  log.info('creating the embedded database', { dataDir });
  const aside = join(dataDir, 'postgres.new');
  mkdirSync(aside, { mode: 0o700 });
  if (process.getuid?.() === 0) chownSync(aside, launcher.uid, launcher.gid);
  runPostgresProgram(launcher, 'initdb', [
    `--pgdata=${aside}`,
    `--username=${DATABASE_USER}`,
    // The permissions of the socket's directory decide who may connect; there is no TCP.
    '--auth-local=trust',
    '--auth-host=reject',
    '--encoding=UTF8',
    // The same sort order and letter case on every machine, whatever its locales.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(isDurable ? [] : ['--no-sync']),
  ]);
  renameSync(aside, folder);
}

/**
 * Waits until no server uses the files. It is called with DATA_DIR locked: a server that still runs there belonged to a
 * process that was killed, and is about to end. One that does not end gets SIGINT, then SIGQUIT. Throws after
 * `timeoutMs`, and when `abortSignal` aborts.
 */
export async function waitForFormerServerToEnd(
  dataDir: string,
  log: EmbeddedLog,
  abortSignal: AbortSignal,
  timeoutMs = 15_000,
): Promise<void> {
  const folder = clusterFolderOf(dataDir);
  const startedAt = performance.now();
  let signalsSent = 0;
  for (;;) {
    const running = listServerPids(folder);
    if (running.length === 0) break;
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > timeoutMs) {
      throw new Error(
        `Process ${running.join(', ')} still uses the database in DATA_DIR ${dataDir}; end it and start again.`,
      );
    }
    if (signalsSent === 0) {
      log.warn('waiting for the former database server to end', { processes: running });
      sendSignal(running, 'SIGINT');
      signalsSent = 1;
    } else if (signalsSent === 1 && waitedMs > timeoutMs / 2) {
      sendSignal(running, 'SIGQUIT');
      signalsSent = 2;
    }
    await sleep(50, undefined, { signal: abortSignal });
  }
  removeStalePidFile(folder);
}

/**
 * PostgreSQL refuses to start while a process with the number in a stale postmaster.pid is alive, whatever it is: after a
 * restart of the machine or container the number often belongs to another program.
 */
function removeStalePidFile(folder: string): void {
  const pid = readRecordedPid(folder);
  if (pid !== undefined && isProcessAlive(pid)) rmSync(join(folder, 'postmaster.pid'), { force: true });
}

/** Process ids of PostgreSQL servers, and of their child processes, that use this folder. */
function listServerPids(folder: string): number[] {
  if (process.platform === 'linux')
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => isServerOfFolder(pid, folder));
  const pid = readRecordedPid(folder);
  return pid !== undefined && isProcessAlive(pid) && readProgramName(pid).includes('postgres') ? [pid] : [];
}

/** The working directory of every PostgreSQL process is its cluster's folder. */
function isServerOfFolder(pid: number, folder: string): boolean {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    if (!/^postgres:|\/postgres\0/.test(command)) return false;
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      // Another user's process, in a container where root may not read its folder: the server's command line names it.
      return command.includes(folder);
    }
  } catch {
    // Ended meanwhile.
    return false;
  }
}

function readProgramName(pid: number): string {
  return spawnSync('ps', ['-p', String(pid), '-o', 'comm='], { encoding: 'utf8' }).stdout;
}

function readRecordedPid(folder: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function sendSignal(pids: number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // Ended meanwhile.
    }
  }
}
