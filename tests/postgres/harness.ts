// Temporary data directories and child programs that leave nothing behind.
import { spawn } from 'node:child_process';
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedDatabase } from '../../src/postgres/start.ts';
import type { EmbeddedConnection } from '../../src/postgres/postmaster.ts';
import type { ProgramOptions } from './program.ts';

const folders: string[] = [];
const programs: ChildProcess[] = [];

/** Others may pass through it, since root's server may have to run as somebody else. */
export function temporaryFolder(mode = 0o711): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'embedded-test-')));
  chmodSync(folder, mode);
  folders.push(folder);
  return folder;
}

let prepared: Promise<string> | undefined;

/** A data directory that was used and stopped: a copy of one made once per test file, since initdb takes its time. */
export async function usedDataDirectory(): Promise<string> {
  prepared ??= (async () => {
    const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'embedded-test-')));
    const embedded = await startEmbeddedDatabase({ dataDir, log: silentLog, onFatal: failLoudly });
    await embedded.stop();
    return dataDir;
  })();
  const dataDir = temporaryFolder();
  cpSync(join(await prepared, 'postgres'), join(dataDir, 'postgres'), { recursive: true });
  chmodSync(join(dataDir, 'postgres'), 0o700);
  return dataDir;
}

/** For afterAll. */
export async function removePrepared(): Promise<void> {
  if (prepared !== undefined) rmSync(await prepared, { recursive: true });
  // The next file of tests in this process makes its own.
  prepared = undefined;
}

export function failLoudly(error: Error): never {
  throw error;
}

export async function cleanUp(): Promise<void> {
  for (const child of programs.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export interface Program {
  readonly child: ChildProcess;
  readonly acknowledged: number[];
  readonly ready: Promise<{ joined: boolean; connection: EmbeddedConnection }>;
  /** Exit code and what was written to stderr. */
  readonly ended: Promise<{ code: number | null; stderr: string }>;
}

export const programFile = join(import.meta.dirname, 'program.ts');

export function runProgram(
  options: ProgramOptions,
  spawnOptions: SpawnOptions = {},
  file = programFile,
  node = process.execPath,
): Program {
  const child = spawn(node, [file, JSON.stringify(options)], {
    ...spawnOptions,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  programs.push(child);
  const { stdout, stderr } = child;
  let errors = '';
  stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const acknowledged: number[] = [];
  const ready = Promise.withResolvers<{ joined: boolean; connection: EmbeddedConnection }>();
  createInterface({ input: stdout }).on('line', (line) => {
    if (line.startsWith('ready '))
      ready.resolve(JSON.parse(line.slice(6)) as { joined: boolean; connection: EmbeddedConnection });
    else if (line.startsWith('ack ')) acknowledged.push(Number(line.slice(4)));
  });
  const ended = once(child, 'close').then(([code]) => {
    ready.reject(new Error(`The program ended: ${errors}`));
    return { code: code as number | null, stderr: errors };
  });
  ready.promise.catch(() => undefined);
  return { child, acknowledged, ready: ready.promise, ended };
}

/** Polls a condition that another process brings about. */
export async function until(condition: () => boolean | Promise<boolean>, withinMs = 15_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('What was awaited did not happen.');
    await sleep(20);
  }
}

export async function query<Row extends pg.QueryResultRow>(
  connection: EmbeddedConnection,
  text: string,
): Promise<Row[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

export function postmasterPid(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** Processes that work in the cluster's folder (Linux). */
export function serversOn(dataDir: string): number[] {
  const folder = join(dataDir, 'postgres');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`) === folder;
      } catch {
        return false;
      }
    })
    .map(Number);
}

export const silentLog = { info: () => undefined, warn: () => undefined, error: () => undefined };
