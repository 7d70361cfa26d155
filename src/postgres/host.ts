// What this machine permits. PostgreSQL refuses to run as root, and must not be left running when the program is killed, so
// the launcher needs to know.
import { spawnSync } from 'node:child_process';

export interface HostCapabilities {
  readonly uid: number;
  readonly gid: number;
  /** util-linux's setpriv: the kernel signals the server when its parent dies. Not on macOS. */
  readonly setpriv: boolean;
  /** A user namespace in which root is somebody else. Refused in most containers. */
  readonly unshare: boolean;
}

/** Programs are started with a PATH of our own, and PG… variables of the caller's shell do not reach the server. */
export const SERVER_ENVIRONMENT: Record<string, string> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
};

/** The program runs as nobody (65534) inside a user namespace; its files on disk belong to the user who started it. */
export const UNSHARE_COMMAND = ['unshare', '-U', '--map-user=65534', '--map-group=65534'];
/** SIGINT is PostgreSQL's fast shutdown: acknowledged work is written, clients are disconnected. */
export const SETPRIV_COMMAND = ['setpriv', '--pdeathsig', 'INT'];

/** Tries what the machine permits: starts two short processes. */
export function detectHostCapabilities(): HostCapabilities {
  const uid = process.getuid?.() ?? 0;
  return {
    uid,
    gid: process.getgid?.() ?? 0,
    setpriv: succeeds([...SETPRIV_COMMAND, 'true']),
    unshare: uid === 0 && succeeds([...UNSHARE_COMMAND, 'true']),
  };
}

function succeeds([file = '', ...args]: string[]): boolean {
  return spawnSync(file, args, { env: SERVER_ENVIRONMENT, stdio: 'ignore' }).status === 0;
}
