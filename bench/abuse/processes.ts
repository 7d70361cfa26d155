// The processes of a run and the cores that they run on.
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const SERVICE_CORE = 0;
const ATTACKER_CORE = 1;

export const canPin = process.platform === 'linux' && availableParallelism() > 1 && hasTaskset();

/** This process, and with it every service and database that it starts from now on, runs on the first core. */
export function pinToServiceCore(): void {
  if (canPin) execFileSync('taskset', ['-a', '-c', '-p', String(SERVICE_CORE), String(process.pid)]);
}

/** Starts a program of this folder on the attacker's core, with a channel for messages. */
export function startOnAttackerCore(file: string): ChildProcess {
  const command = [process.execPath, join(import.meta.dirname, file)];
  const [program = '', ...args] = canPin ? ['taskset', '-c', String(ATTACKER_CORE), ...command] : command;
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
