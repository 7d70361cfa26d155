// Programs of the cluster: never as root, with a log in a file, and gone when this process is gone.
import { execFile, execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';

export const IS_ROOT = process.getuid?.() === 0;

/** Who runs the cluster: PostgreSQL refuses root. */
const CLUSTER_USER = 'postgres';

const COMMAND_MS = 30_000;

/** A program with its arguments, and what it runs in. */
interface Program {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
}

/** The same command as the user of the cluster; it gets the signal when this process dies. */
export function asClusterUser(command: readonly string[], orphanSignal: 'TERM' | 'KILL' = 'KILL'): string[] {
  const user = IS_ROOT ? [`--reuid=${CLUSTER_USER}`, `--regid=${CLUSTER_USER}`, '--init-groups'] : [];
  return ['setpriv', ...user, `--pdeathsig=${orphanSignal}`, '--', ...command];
}

/** Makes a folder, with all that is in it, the cluster's. */
export function giveToClusterUser(folder: string): void {
  if (IS_ROOT) runCommand(['chown', '-R', `${CLUSTER_USER}:${CLUSTER_USER}`, folder]);
}

export function startProgram({ command, env, logFile }: Program): ChildProcess {
  const [name = '', ...args] = command;
  const log = openSync(logFile, 'a');
  const child = spawn(name, args, { env: { ...env }, stdio: ['ignore', log, log], detached: true });
  closeSync(log);
  return child;
}

/** Resolves when the process has ended: by itself, or by SIGKILL after `patienceMs`. */
export async function endProgram(
  child: ChildProcess,
  signal: NodeJS.Signals,
  patienceMs: number,
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await ended;
  clearTimeout(timer);
}

/** The processes that work in a folder: a PostgreSQL server's, whoever its parent is. */
export function listProcessesIn(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && folderOf(name) === folder)
    .map(Number);
}

function folderOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

/** Signals what is still there of the processes. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Runs a command of an instant to its end, which must be a success; its output. */
export function runCommand(command: readonly string[]): string {
  const [name = '', ...args] = command;
  return execFileSync(name, args, {
    encoding: 'utf8',
    timeout: COMMAND_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The same for a command that takes its time, while all else goes on. */
export async function runLongCommand(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  timeout = COMMAND_MS,
): Promise<void> {
  const [name = '', ...args] = command;
  await promisify(execFile)(name, args, { env, timeout });
}

/** The end of a log file. */
export function tailOf(file: string, lines = 15): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '';
  }
}
