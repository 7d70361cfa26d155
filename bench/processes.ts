// The processes of a measurement and the cores that they run on.
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const SERVICE_CORE = 0;
const OTHER_CORE = 1;

export const canPin = process.platform === 'linux' && availableParallelism() > 1 && hasTaskset();

/** This process, and with it every service and database that it starts from now on, runs on the first core. */
export function pinToServiceCore(): void {
  pinTo(SERVICE_CORE);
}

/** This process, and what it starts from now on, leaves the first core to those that run there. */
export function pinToOtherCore(): void {
  pinTo(OTHER_CORE);
}

function pinTo(core: number): void {
  if (canPin) execFileSync('taskset', ['-a', '-c', '-p', String(core), String(process.pid)]);
}

/**
 * Whether the kernel shares processors out by sessions of processes: then each server of the database has as much of the core as the
 * whole service, its computing threads and its event loop together, whatever their priorities. In a container it does not.
 */
export function sharesBySession(): boolean {
  try {
    return readFileSync('/proc/sys/kernel/sched_autogroup_enabled', 'utf8').trim() === '1';
  } catch {
    return false;
  }
}

/** Starts a program with a channel for messages; it runs where its parent does. */
export function startProgram(file: string, args: readonly string[] = []): ChildProcess {
  return startCommand([process.execPath, file, ...args]);
}

/** The same on the core that the service does not run on. */
export function startOnOtherCore(file: string): ChildProcess {
  const command = [process.execPath, file];
  return startCommand(canPin ? ['taskset', '-c', String(OTHER_CORE), ...command] : command);
}

function startCommand([program = '', ...args]: readonly string[]): ChildProcess {
  return spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

/** The next message of a process. Rejects when it ends before. */
export async function nextMessage<T>(child: ChildProcess): Promise<T> {
  const done = new AbortController();
  const { signal } = done;
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`A process of the bench ended with ${String(code)}.`);
  });
  ended.catch(() => undefined);
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), ended])) as [T];
    return message;
  } finally {
    done.abort();
  }
}

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
