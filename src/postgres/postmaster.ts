// One run of the server process: started, awaited, stopped.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { clusterFolder } from './cluster-folder.ts';
import { account } from './cluster.ts';
import { setprivCommand } from './host.ts';
import { asUser } from './launcher.ts';
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

export const connectionTo = (socketDirectory: string): EmbeddedConnection => ({
  host: socketDirectory,
  port: 5432,
  user: account,
  database: 'postgres',
  ssl: false,
});

export interface Postmaster {
  /** Settles when the process has ended, with what it said last. */
  readonly ended: Promise<string>;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Without setpriv: sh holds the end of a pipe whose other end dies with this program, and then stops the server. */
const watchdog = `
trap 'kill -INT $server' INT; trap 'kill -QUIT $server' QUIT
export LD_LIBRARY_PATH DYLD_LIBRARY_PATH="$LD_LIBRARY_PATH"
"$@" 3<&- & server=$!
(read -r _ <&3; kill -INT $server) 2>/dev/null & guard=$!
while kill -0 $server 2>/dev/null; do wait $server; done
kill $guard 2>/dev/null`;

/** Call it from the main thread: the kernel counts the death of the thread that started the server as its parent's. */
export function startPostmaster(
  dataDir: string,
  socketDirectory: string,
  launcher: Launcher,
  settings: Record<string, string>,
  log: EmbeddedLog,
): Postmaster {
  const all = {
    // No TCP: the socket's directory decides who may connect.
    listen_addresses: '',
    unix_socket_directories: socketDirectory,
    unix_socket_permissions: '0700',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // A line per checkpoint tells a developer nothing.
    log_checkpoints: 'off',
    ...settings,
  };
  const [file = '', ...args] = [
    ...launcher.prefix,
    ...(launcher.guardedByKernel ? setprivCommand : ['/bin/sh', '-c', watchdog, 'sh']),
    join(launcher.root, 'bin', 'postgres'),
    '-D',
    clusterFolder(dataDir),
    ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  const child = spawn(file, args, {
    env: launcher.env,
    cwd: '/',
    // A session of its own: Ctrl-C in a terminal reaches the whole foreground group, and the database stops last.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', launcher.guardedByKernel ? 'ignore' : 'pipe'],
    ...asUser(launcher),
  });
  const ended = follow(child, log);
  return { ended, pid: child.pid ?? 0, stop: () => stop(child, ended, log) };
}

async function follow(child: ChildProcess, log: EmbeddedLog): Promise<string> {
  const last: string[] = [];
  if (child.stderr !== null) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      last.push(line);
      if (last.length > 10) last.shift();
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
  return [...last, failure].join('\n');
}

/** Fast shutdown; then the immediate one, after which the next start recovers from the log; then force. */
async function stop(child: ChildProcess, ended: Promise<string>, log: EmbeddedLog): Promise<void> {
  const steps = [
    ['SIGINT', 5000],
    ['SIGQUIT', 2000],
    ['SIGKILL', 1000],
  ] as const;
  for (const [signal, patienceMs] of steps) {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      // Force is for the whole session, the watchdog's server included.
      process.kill(signal === 'SIGKILL' ? -child.pid : child.pid, signal);
    }
    if (await settles(ended, patienceMs)) return;
    log.warn('the embedded database did not stop in time', { signal, patienceMs });
  }
}

async function settles(promise: Promise<unknown>, withinMs: number): Promise<boolean> {
  const cut = new AbortController();
  const late = sleep(withinMs, false, { signal: cut.signal }).catch(() => false);
  const done = await Promise.race([promise.then(() => true), late]);
  cut.abort();
  return done;
}

/** True when the database answers; false when it is not there yet; recovery after a crash is told apart. */
export async function answers(connection: EmbeddedConnection): Promise<'yes' | 'no' | 'recovering'> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return 'yes';
  } catch (error) {
    return error instanceof pg.DatabaseError && error.code === '57P03' ? 'recovering' : 'no';
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Resolves when the database answers. Rejects when the process ends before, or after patienceMs without an answer;
 * while it recovers from a crash, patience begins anew. Cut short by the signal.
 */
export async function awaitAnswers(
  postmaster: Postmaster,
  connection: EmbeddedConnection,
  patienceMs: number,
  cut: AbortSignal,
): Promise<void> {
  let saidLast: string | undefined;
  void postmaster.ended.then((last) => (saidLast = last));
  let deadline = performance.now() + patienceMs;
  for (;;) {
    const answer = await answers(connection);
    if (answer === 'yes') return;
    if (saidLast !== undefined) throw new Error(`The embedded database did not start:\n${saidLast}`);
    if (answer === 'recovering') deadline = performance.now() + patienceMs;
    if (performance.now() > deadline)
      throw new Error(`The embedded database gave no answer within ${patienceMs} ms.`);
    await sleep(20, undefined, { signal: cut });
  }
}
