// The embedded database as the program sees it: `serve` owns it, a command joins it or starts it for itself.
import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBinaries } from './binaries.ts';
import { createCluster } from './cluster.ts';
import { probeHost } from './host.ts';
import type { Host } from './host.ts';
import { chooseLauncher } from './launcher.ts';
import { readOwner, tryLock } from './lock.ts';
import type { DataLock, Owner } from './lock.ts';
import type { EmbeddedLog } from './log.ts';
import { answers, connectionTo } from './postmaster.ts';
import type { EmbeddedConnection } from './postmaster.ts';
import { socketDirectory } from './socket-directory.ts';
import { supervise } from './supervise.ts';
import type { EmbeddedState } from './supervise.ts';

export interface EmbeddedOptions {
  readonly dataDir: string;
  readonly log: EmbeddedLog;
  /** The database ended and did not come back: the program can only end. */
  readonly onFatal: (error: Error) => void;
  /** How long to wait for a command, or for a `serve` that is stopping, to leave DATA_DIR. */
  readonly waitMs?: number;
  /** How long a dead database may be away before onFatal. */
  readonly patienceMs?: number;
  /** PostgreSQL settings beside the launcher's own. `fsync: 'off'` is for databases that are thrown away. */
  readonly settings?: Record<string, string>;
  /** What the machine can do, where it should not be asked. */
  readonly host?: Host;
  /** The folder with bin, lib and share, where it is not the installed package's. */
  readonly binaries?: string;
}

export interface Embedded {
  readonly connection: EmbeddedConnection;
  /** For /readyz: anything but `ready` is unavailable. */
  readonly state: () => EmbeddedState;
  /** Fast shutdown. Nothing that uses the database may follow. */
  stop(): Promise<void>;
}

/** For `serve`: owns DATA_DIR, waits for a command to leave it, and is refused beside another `serve`. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const dataDir = prepare(options.dataDir);
  const deadline = performance.now() + (options.waitMs ?? 10_000);
  for (;;) {
    const lock = tryLock(dataDir);
    if (lock !== undefined) return own(dataDir, lock, 'serve', options);
    const owner = readOwner(dataDir);
    const settled = owner?.kind === 'serve' && !owner.stopping;
    if (settled || performance.now() > deadline) throw inUse(dataDir, owner);
    await sleep(50);
  }
}

/** For commands: the database of a running `serve`, or one for the command's own duration. */
export async function joinOrStartEmbedded(
  options: EmbeddedOptions,
): Promise<Embedded & { readonly joined: boolean }> {
  const dataDir = prepare(options.dataDir);
  const deadline = performance.now() + (options.waitMs ?? 30_000);
  for (;;) {
    const lock = tryLock(dataDir);
    if (lock !== undefined) return { ...(await own(dataDir, lock, 'command', options)), joined: false };
    const owner = readOwner(dataDir);
    if (owner?.kind === 'serve' && !owner.stopping) {
      const connection = connectionTo(owner.socketDirectory);
      if ((await answers(connection)) === 'yes') {
        return { connection, joined: true, state: () => 'ready', stop: () => Promise.resolve() };
      }
    }
    if (performance.now() > deadline) throw inUse(dataDir, owner);
    await sleep(50);
  }
}

function prepare(dataDir: string): string {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    return realpathSync(resolve(dataDir));
  } catch (cause) {
    throw new Error(
      `DATA_DIR ${dataDir} cannot be made: choose another one, or set DATABASE_URL to a PostgreSQL server.`,
      { cause },
    );
  }
}

function inUse(dataDir: string, owner: Owner | undefined): Error {
  const who = owner === undefined ? 'another process' : `process ${owner.pid} (${owner.kind})`;
  return new Error(`DATA_DIR ${dataDir} is in use by ${who}: stop it, or choose another DATA_DIR.`);
}

async function own(
  dataDir: string,
  lock: DataLock,
  kind: Owner['kind'],
  options: EmbeddedOptions,
): Promise<Embedded> {
  const owner = { pid: process.pid, kind, stopping: false, socketDirectory: '' };
  const leave = (): void => {
    if (owner.socketDirectory !== '') rmSync(owner.socketDirectory, { recursive: true, force: true });
    rmSync(join(dataDir, 'lib'), { recursive: true, force: true });
    lock.release();
  };
  try {
    lock.announce(owner);
    const launcher = chooseLauncher(dataDir, options.host ?? probeHost(), options.binaries ?? findBinaries());
    owner.socketDirectory = socketDirectory(dataDir, launcher.uid, launcher.gid);
    lock.announce(owner);
    const { log, onFatal, settings = {}, patienceMs = 30_000 } = options;
    createCluster(dataDir, launcher, settings.fsync !== 'off', log);
    const supervision = await supervise({
      dataDir,
      socketDirectory: owner.socketDirectory,
      launcher,
      settings,
      log,
      onFatal,
      patienceMs,
    });
    return {
      connection: connectionTo(owner.socketDirectory),
      state: supervision.state,
      stop: async () => {
        lock.announce({ ...owner, stopping: true });
        await supervision.stop();
        leave();
      },
    };
  } catch (error) {
    leave();
    throw error;
  }
}
