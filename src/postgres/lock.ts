// A data directory has one owner at a time.
//
// The lock is SQLite's own file lock (fcntl): the kernel releases it when the process ends, however it
// ends, so there is never a stale lock. Node has no file lock of its own, and a pid file cannot tell
// a dead owner from another process that was given the same number. Nothing else in the program may open the file:
// closing it anywhere in a process releases the process's locks on it.
import { accessSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** What the owner tells other processes: a `serve` can be joined; a `command`, or one that is stopping, ends soon. */
export interface DataDirOwner {
  readonly pid: number;
  readonly kind: 'serve' | 'command';
  readonly stopping: boolean;
  readonly socketDirectory: string;
}

export interface DataDirLock {
  writeOwner(owner: DataDirOwner): void;
  release(): void;
}

const ownerFilePath = (dataDir: string): string => join(dataDir, 'owner.json');

/**
 * Takes the lock at once; undefined while another process, or another caller in this one, has it. Throws when the lock
 * file belongs to another user.
 */
export function tryLockDataDir(dataDir: string): DataDirLock | undefined {
  const path = join(dataDir, 'lock');
  let file: DatabaseSync | undefined;
  try {
    // SQLite would open what it may not write for reading, and then lock nothing.
    if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK);
    file = new DatabaseSync(path, { timeout: 0 });
    file.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    file?.close();
    if ((error as { errcode?: unknown }).errcode === SQLITE_BUSY) return undefined;
    throw new Error(`DATA_DIR ${dataDir} cannot be locked: it may belong to another user.`, { cause: error });
  }
  const held = file;
  // The file of an owner that was killed.
  rmSync(ownerFilePath(dataDir), { force: true });
  return {
    writeOwner: (owner) => writeFileSync(ownerFilePath(dataDir), JSON.stringify(owner)),
    release: () => {
      try {
        rmSync(ownerFilePath(dataDir), { force: true });
      } catch {
        // Where it cannot be removed, as from a disk that became read-only, the next owner does it.
      }
      held.close();
    },
  };
}

const SQLITE_BUSY = 5;

/** The present owner; undefined when it has not written its file yet. */
export function readDataDirOwner(dataDir: string): DataDirOwner | undefined {
  try {
    return JSON.parse(readFileSync(ownerFilePath(dataDir), 'utf8')) as DataDirOwner;
  } catch {
    // Missing, or half written: the caller asks again.
    return undefined;
  }
}
