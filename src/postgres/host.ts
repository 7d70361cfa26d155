// What this machine lets us do. PostgreSQL refuses to run as root, and nothing may be left running when the program
// is killed, so the launcher needs to know.
import { spawnSync } from 'node:child_process';

export interface Host {
  readonly uid: number;
  readonly gid: number;
  /** util-linux's setpriv: the kernel signals the server when its parent dies. Not on macOS. */
  readonly setpriv: boolean;
  /** A user namespace in which root is somebody else. Refused in most containers. */
  readonly unshare: boolean;
}

/** Programs are started with a PATH of our own, and PG… variables of the caller's shell do not reach the server. */
export const serverEnvironment: Record<string, string> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
};

/** Becomes nobody (65534) inside a user namespace; on disk it stays the user who started it. */
export const unshareCommand = ['unshare', '-U', '--map-user=65534', '--map-group=65534'];
/** SIGINT is PostgreSQL's fast shutdown: acknowledged work is written, clients are cut. */
export const setprivCommand = ['setpriv', '--pdeathsig', 'INT'];

export function probeHost(): Host {
  const uid = process.getuid?.() ?? 0;
  return {
    uid,
    gid: process.getgid?.() ?? 0,
    setpriv: succeeds([...setprivCommand, 'true']),
    unshare: uid === 0 && succeeds([...unshareCommand, 'true']),
  };
}

function succeeds([file = '', ...args]: string[]): boolean {
  return spawnSync(file, args, { env: serverEnvironment, stdio: 'ignore' }).status === 0;
}
