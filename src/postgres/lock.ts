// One owner for a data directory.
//
// The lock is SQLite's own file lock (fcntl): the kernel drops it with the process that held it, however that
// process ended, so there is never a stale lock. Node has no file lock of its own, and a pid file cannot tell
// a dead owner from another process that was given the same number. Nothing else in the program may open the file:
// closing it anywhere in a process gives the process's locks on it up.
import { accessSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** What the owner tells others: `serve` may be joined, a `command` ends soon, and so does one that is stopping. */
export interface Owner {
  readonly pid: number;
  readonly kind: 'serve' | 'command';
  readonly stopping: boolean;
  readonly socketDirectory: string;
}

export interface DataLock {
  announce(owner: Owner): void;
  release(): void;
}

const ownerFile = (dataDir: string): string => join(dataDir, 'owner.json');

/** Takes the lock at once, or returns undefined while another process (or another caller in this one) has it. */
export function tryLock(dataDir: string): DataLock | undefined {
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
  // Whatever an owner left that was killed.
  rmSync(ownerFile(dataDir), { force: true });
  return {
    announce: (owner) => writeFileSync(ownerFile(dataDir), JSON.stringify(owner)),
    release: () => {
      rmSync(ownerFile(dataDir), { force: true });
      held.close();
    },
  };
}

const SQLITE_BUSY = 5;

/** The present owner, as far as it has announced itself. */
export function readOwner(dataDir: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(ownerFile(dataDir), 'utf8')) as Owner;
  } catch {
    // Absent, or half written: the caller asks again.
    return undefined;
  }
}
