// The embedded database as the program uses it: `serve` owns it, a command joins it or starts it for its own duration.
import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findInstalledBinaries } from './binaries.ts';
import { createClusterIfMissing } from './cluster.ts';
import { detectHostCapabilities } from './host.ts';
import type { HostCapabilities } from './host.ts';
import { choosePostgresLauncher } from './launcher.ts';
import { readDataDirOwner, tryLockDataDir } from './lock.ts';
import type { DataDirLock, DataDirOwner } from './lock.ts';
import type { EmbeddedLog } from './log.ts';
import { probeDatabase, createSocketConnection } from './postmaster.ts';
import type { EmbeddedConnection } from './postmaster.ts';
import { createSocketDirectory } from './socket-directory.ts';
import { superviseServer } from './supervise.ts';
import type { EmbeddedState } from './supervise.ts';

export interface EmbeddedDatabaseOptions {
  readonly dataDir: string;
  readonly log: EmbeddedLog;
  /** The database ended and did not come back: the program can only end. */
  readonly onFatal: (error: Error) => void;
  /** How long to wait for a command, or for a `serve` that is stopping, to leave DATA_DIR. */
  readonly waitMs?: number;
  /** How long a database that ended may be unavailable before onFatal is called. */
  readonly restartTimeoutMs?: number;
  /** PostgreSQL settings beside the launcher's own. `fsync: 'off'` is for databases that are thrown away. */
  readonly settings?: Record<string, string>;
  /** What the machine permits, where that is not to be detected. */
  readonly host?: HostCapabilities;
  /** The folder with bin, lib and share; the installed package's by default. */
  readonly binaries?: string;
}

export interface EmbeddedDatabase {
  readonly connection: EmbeddedConnection;
  /** For /readyz: anything but `ready` is unavailable. */
  readonly state: () => EmbeddedState;
  /** Fast shutdown. Nothing that uses the database may follow. */
  stop(): Promise<void>;
}

/** For `serve`: owns DATA_DIR. Waits until a command has left it; throws when another `serve` owns it. */
export async function startEmbeddedDatabase(options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  const dataDir = createDataDir(options.dataDir);
  const deadline = performance.now() + (options.waitMs ?? 10_000);
  for (;;) {
    const lock = tryLockDataDir(dataDir);
    if (lock !== undefined) return startInLockedDataDir(dataDir, lock, 'serve', options);
    const owner = readDataDirOwner(dataDir);
    const isOwnedByService = owner?.kind === 'serve' && !owner.stopping;
    if (isOwnedByService || performance.now() > deadline) throw dataDirInUseError(dataDir, owner);
    await sleep(50);
  }
}

/** For commands: the database of a running `serve`, or one for the command's own duration. */
export async function joinOrStartEmbeddedDatabase(
  options: EmbeddedDatabaseOptions,
): Promise<EmbeddedDatabase & { readonly joined: boolean }> {
  const dataDir = createDataDir(options.dataDir);
  const deadline = performance.now() + (options.waitMs ?? 30_000);
  for (;;) {
    const lock = tryLockDataDir(dataDir);
    if (lock !== undefined)
      return { ...(await startInLockedDataDir(dataDir, lock, 'command', options)), joined: false };
    const owner = readDataDirOwner(dataDir);
    if (owner?.kind === 'serve' && !owner.stopping) {
      const connection = createSocketConnection(owner.socketDirectory);
      if ((await probeDatabase(connection)) === 'ready') {
        return { connection, joined: true, state: () => 'ready', stop: () => Promise.resolve() };
      }
    }
    if (performance.now() > deadline) throw dataDirInUseError(dataDir, owner);
    await sleep(50);
  }
}

function createDataDir(dataDir: string): string {
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

function dataDirInUseError(dataDir: string, owner: DataDirOwner | undefined): Error {
  const who = owner === undefined ? 'another process' : `process ${owner.pid} (${owner.kind})`;
  return new Error(`DATA_DIR ${dataDir} is in use by ${who}: stop it, or choose another DATA_DIR.`);
}

async function startInLockedDataDir(
  dataDir: string,
  lock: DataDirLock,
  kind: DataDirOwner['kind'],
  options: EmbeddedDatabaseOptions,
): Promise<EmbeddedDatabase> {
  const owner = { pid: process.pid, kind, stopping: false, socketDirectory: '' };
  const cleanUp = (): void => {
    if (owner.socketDirectory !== '') rmSync(owner.socketDirectory, { recursive: true, force: true });
    rmSync(join(dataDir, 'lib'), { recursive: true, force: true });
    lock.release();
  };
  try {
    lock.writeOwner(owner);
    const launcher = choosePostgresLauncher(
      dataDir,
      options.host ?? detectHostCapabilities(),
      options.binaries ?? findInstalledBinaries(),
    );
    owner.socketDirectory = createSocketDirectory(dataDir, launcher.uid, launcher.gid);
    lock.writeOwner(owner);
    const { log, onFatal, settings = {}, restartTimeoutMs = 30_000 } = options;
    createClusterIfMissing(dataDir, launcher, settings.fsync !== 'off', log);
    const supervision = await superviseServer({
      dataDir,
      socketDirectory: owner.socketDirectory,
      launcher,
      settings,
      log,
      onFatal,
      restartTimeoutMs,
    });
    return {
      connection: createSocketConnection(owner.socketDirectory),
      state: supervision.state,
      stop: async () => {
        announceStop(lock, owner);
        try {
          await supervision.stop();
        } finally {
          cleanUp();
        }
      },
    };
  } catch (error) {
    cleanUp();
    throw error;
  }
}

function announceStop(lock: DataDirLock, owner: DataDirOwner): void {
  try {
    lock.writeOwner({ ...owner, stopping: true });
  } catch {
    // A full disk, or one that cannot be written any more, keeps no server running: others wait for the lock all the same.
  }
}
