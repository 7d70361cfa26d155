// The files of the database: made once, whole, and never opened by two servers.
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
import { clusterFolder } from './cluster-folder.ts';
import { giveCluster, runProgram } from './launcher.ts';
import type { Launcher } from './launcher.ts';
import type { EmbeddedLog } from './log.ts';

/** The one account of the embedded database. */
export const account = 'partner';

/** initdb into a temporary name, then rename: a cluster that bears its name is complete. */
export function createCluster(
  dataDir: string,
  launcher: Launcher,
  isDurable: boolean,
  log: EmbeddedLog,
): void {
  const folder = clusterFolder(dataDir);
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith('postgres.new')) rmSync(join(dataDir, name), { recursive: true });
  }
  if (existsSync(folder)) {
    giveCluster(dataDir, launcher);
    return;
  }
  log.info('creating the embedded database', { dataDir });
  const aside = join(dataDir, 'postgres.new');
  mkdirSync(aside, { mode: 0o700 });
  if (process.getuid?.() === 0) chownSync(aside, launcher.uid, launcher.gid);
  runProgram(launcher, 'initdb', [
    `--pgdata=${aside}`,
    `--username=${account}`,
    // The socket's directory is the guard; there is no other way in.
    '--auth-local=trust',
    '--auth-host=reject',
    '--encoding=UTF8',
    // The same order and letter case on every machine, whatever its locales.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(isDurable ? [] : ['--no-sync']),
  ]);
  renameSync(aside, folder);
}

/**
 * Waits until no server works on the files. Called with DATA_DIR locked: whatever still runs there is the server of
 * a killed owner, about to end. One that does not is told to.
 */
export async function awaitVacancy(
  dataDir: string,
  log: EmbeddedLog,
  cut: AbortSignal,
  patienceMs = 15_000,
): Promise<void> {
  const folder = clusterFolder(dataDir);
  const startedAt = performance.now();
  let told = 0;
  for (;;) {
    const running = serversOn(folder);
    if (running.length === 0) break;
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > patienceMs) {
      throw new Error(
        `Process ${running.join(', ')} still works on the database in DATA_DIR ${dataDir}; end it and start again.`,
      );
    }
    if (told === 0) {
      log.warn('waiting for the former database server to end', { processes: running });
      signal(running, 'SIGINT');
      told = 1;
    } else if (told === 1 && waitedMs > patienceMs / 2) {
      signal(running, 'SIGQUIT');
      told = 2;
    }
    await sleep(50, undefined, { signal: cut });
  }
  forgetStranger(folder);
}

/**
 * PostgreSQL refuses to start while the process that a stale postmaster.pid names is alive, whatever it is: after a
 * restart of the machine or container the number is often another program's.
 */
function forgetStranger(folder: string): void {
  const pid = recordedPid(folder);
  if (pid !== undefined && isAlive(pid)) rmSync(join(folder, 'postmaster.pid'), { force: true });
}

/** Process numbers of PostgreSQL servers and their children on these files. */
function serversOn(folder: string): number[] {
  if (process.platform === 'linux')
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => worksOn(pid, folder));
  const pid = recordedPid(folder);
  return pid !== undefined && isAlive(pid) && programOf(pid).includes('postgres') ? [pid] : [];
}

/** Every PostgreSQL process works in its cluster's folder. */
function worksOn(pid: number, folder: string): boolean {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    if (!/^postgres:|\/postgres\0/.test(command)) return false;
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      // Another user's process, in a container where root may not look: the postmaster still names its folder.
      return command.includes(folder);
    }
  } catch {
    // Ended meanwhile.
    return false;
  }
}

function programOf(pid: number): string {
  return spawnSync('ps', ['-p', String(pid), '-o', 'comm='], { encoding: 'utf8' }).stdout;
}

function recordedPid(folder: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function signal(pids: number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // Ended meanwhile.
    }
  }
}
