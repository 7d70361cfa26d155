// The only way to connect to the embedded database: a unix socket in a directory that no other user can enter.
import { createHash } from 'node:crypto';
import { chownSync, lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** sun_path holds 108 bytes on Linux and 104 on macOS, the final zero included. */
const MAX_SOCKET_PATH_BYTES = 103;
const SOCKET_NAME = '.s.PGSQL.5432';

/**
 * Creates the socket's directory, or finds it: in the folder for temporary files, since the path of DATA_DIR may be longer
 * than a socket's address can be. The name is the same on each start, so that the directory of a killed process is used
 * again, and depends on the server's user. Throws when the directory is not private to that user.
 */
export function createSocketDirectory(dataDir: string, uid: number, gid: number): string {
  const name = `partner-${createHash('sha256').update(`${dataDir}\n${uid}`).digest('hex').slice(0, 16)}`;
  const preferred = join(tmpdir(), name);
  const directory =
    Buffer.byteLength(join(preferred, SOCKET_NAME)) > MAX_SOCKET_PATH_BYTES ? join('/tmp', name) : preferred;
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
