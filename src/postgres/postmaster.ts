// One run of the server process: start, wait until it answers, stop.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { clusterFolderOf } from './cluster-folder.ts';
import { DATABASE_USER } from './cluster.ts';
import { SETPRIV_COMMAND } from './host.ts';
import { toSpawnUser } from './launcher.ts';
import type { Launcher } from './launcher.ts';
import type { EmbeddedLog } from './log.ts';

/** How to reach an embedded database; a part of pg's own client configuration. */
export interface EmbeddedConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly ssl: false;
}

/** How to connect to the embedded database whose socket is in this directory. */
export const createSocketConnection = (socketDirectory: string): EmbeddedConnection => ({
  host: socketDirectory,
  port: 5432,
  user: DATABASE_USER,
  database: 'postgres',
  ssl: false,
});

export interface Postmaster {
  /** Resolves with the last lines of its output when the process has ended. */
  readonly ended: Promise<string>;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Without setpriv: sh reads from a pipe that is closed when this program ends, and then stops the server. */
const WATCHDOG_SCRIPT = `
trap 'kill -INT $server' INT; trap 'kill -QUIT $server' QUIT
export LD_LIBRARY_PATH DYLD_LIBRARY_PATH="$LD_LIBRARY_PATH"
"$@" 3<&- & server=$!
(read -r _ <&3; kill -INT $server) 2>/dev/null & guard=$!
while kill -0 $server 2>/dev/null; do wait $server; done
kill $guard 2>/dev/null`;

/**
 * Starts the server and does not wait for it. Call it from the main thread: the kernel treats the end of the thread that
 * started the server as the end of its parent.
 */
export function startPostmaster(
  dataDir: string,
  socketDirectory: string,
  launcher: Launcher,
  settings: Record<string, string>,
  log: EmbeddedLog,
): Postmaster {
  const serverSettings = {
    // No TCP: the permissions of the socket's directory decide who may connect.
    listen_addresses: '',
    unix_socket_directories: socketDirectory,
    unix_socket_permissions: '0700',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // A line for each checkpoint is no use to a developer.
    log_checkpoints: 'off',
    ...settings,
  };
  const [file = '', ...args] = [
    ...launcher.prefix,
    ...(launcher.hasParentDeathSignal ? SETPRIV_COMMAND : ['/bin/sh', '-c', WATCHDOG_SCRIPT, 'sh']),
    join(launcher.root, 'bin', 'postgres'),
    '-D',
    clusterFolderOf(dataDir),
    ...Object.entries(serverSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  const child = spawn(file, args, {
    env: launcher.env,
    cwd: '/',
    // A session of its own: Ctrl-C in a terminal reaches the whole foreground group, and the database stops last.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', launcher.hasParentDeathSignal ? 'ignore' : 'pipe'],
    ...toSpawnUser(launcher),
  });
  const ended = collectOutput(child, log);
  return { ended, pid: child.pid ?? 0, stop: () => stop(child, ended, log) };
}

async function collectOutput(child: ChildProcess, log: EmbeddedLog): Promise<string> {
  const lastLines: string[] = [];
  if (child.stderr !== null) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      lastLines.push(line);
      if (lastLines.length > 10) lastLines.shift();
      if (
        / (?:FATAL|PANIC): /.test(line) &&
        !/the database system is (?:starting up|shutting down)$/.test(line)
      )
        log.warn(line, { from: 'postgres' });
    });
  }
  // 'close' comes when the process has ended and its output was read to the end; 'error' when it never began.
  const failure = await once(child, 'close').then(
    ([code, signal]: unknown[]) => `it ended with ${String(code ?? signal)}`,
    (error: unknown) => String(error),
  );
  return [...lastLines, failure].join('\n');
}

/** Fast shutdown; then the immediate one, after which the next start recovers from the log; then SIGKILL. */
async function stop(child: ChildProcess, ended: Promise<string>, log: EmbeddedLog): Promise<void> {
  const steps = [
    ['SIGINT', 5000],
    ['SIGQUIT', 2000],
    ['SIGKILL', 1000],
  ] as const;
  for (const [signal, timeoutMs] of steps) {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      // SIGKILL goes to the whole session, which includes the server of a watchdog.
      process.kill(signal === 'SIGKILL' ? -child.pid : child.pid, signal);
    }
    if (await isSettledWithin(ended, timeoutMs)) return;
    log.warn('the embedded database did not stop in time', { signal, timeoutMs });
  }
}

async function isSettledWithin(promise: Promise<unknown>, withinMs: number): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(withinMs, false, { signal: timer.signal }).catch(() => false);
  const done = await Promise.race([promise.then(() => true), late]);
  timer.abort();
  return done;
}

/** Whether the database answers a query: it is `ready`, cannot be reached, or recovers from a crash. */
export async function probeDatabase(
  connection: EmbeddedConnection,
): Promise<'ready' | 'unreachable' | 'recovering'> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return 'ready';
  } catch (error) {
    return error instanceof pg.DatabaseError && error.code === '57P03' ? 'recovering' : 'unreachable';
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Resolves when the database answers. Rejects when the process ends before, when `abortSignal` aborts, and after
 * `timeoutMs` without an answer; while the database recovers from a crash, that time starts again.
 */
export async function waitUntilDatabaseAnswers(
  postmaster: Postmaster,
  connection: EmbeddedConnection,
  timeoutMs: number,
  abortSignal: AbortSignal,
): Promise<void> {
  let lastOutput: string | undefined;
  void postmaster.ended.then((last) => (lastOutput = last));
  let deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await probeDatabase(connection);
    if (answer === 'ready') return;
    if (lastOutput !== undefined) throw new Error(`The embedded database did not start:\n${lastOutput}`);
    if (answer === 'recovering') deadline = performance.now() + timeoutMs;
    if (performance.now() > deadline)
      throw new Error(`The embedded database gave no answer within ${timeoutMs} ms.`);
    await sleep(20, undefined, { signal: abortSignal });
  }
}
