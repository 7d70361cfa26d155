// The only way into the embedded database: a unix socket in a directory that nobody else can enter.
import { createHash } from 'node:crypto';
import { chownSync, lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** sun_path holds 108 bytes on Linux and 104 on macOS, the final zero included. */
const longestSocketPath = 103;
const socketName = '.s.PGSQL.5432';

/**
 * Makes (or finds) the directory: a short path, since DATA_DIR itself may be deeper than a socket's address can be,
 * the same on each start, so that what a killed process left is used again. The server's user is part of the name:
 * a directory that root left is no use to others.
 */
export function socketDirectory(dataDir: string, uid: number, gid: number): string {
  const name = `partner-${createHash('sha256').update(`${dataDir}\n${uid}`).digest('hex').slice(0, 16)}`;
  const preferred = join(tmpdir(), name);
  const directory =
    Buffer.byteLength(join(preferred, socketName)) > longestSocketPath ? join('/tmp', name) : preferred;
  try {
    mkdirSync(directory, { mode: 0o700 });
    chownSync(directory, uid, gid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const found = lstatSync(directory);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw new Error(
      `${directory} is not a private directory of user ${uid}; remove it, or set DATABASE_URL to a PostgreSQL server.`,
    );
  }
  return directory;
}
