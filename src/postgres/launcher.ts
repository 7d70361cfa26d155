// As whom, and with which programs, the server runs.
//
// An ordinary user runs it as itself. Root may not (PostgreSQL refuses), so root's server runs, in this order:
//   as the owner of an existing cluster that is not root's;
//   in a user namespace that calls root "nobody", where the files stay root's;
//   as nobody (65534) indeed;
//   as the owner of the folder that holds DATA_DIR (sudo in somebody's home).
// The first that can reach DATA_DIR is taken.
import { spawnSync } from 'node:child_process';
import type { SpawnSyncReturns } from 'node:child_process';
import { chmodSync, chownSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { copyBinaries, linkLibraries } from './binaries.ts';
import type { Binaries } from './binaries.ts';
import { clusterFolder } from './cluster-folder.ts';
import { serverEnvironment, setprivCommand, unshareCommand } from './host.ts';
import type { Host } from './host.ts';

const nobody = 65534;

interface Identity {
  /** Owner of the server's files on disk. */
  readonly uid: number;
  readonly gid: number;
  readonly prefix: string[];
}

export interface Launcher extends Identity {
  readonly root: string;
  readonly env: Record<string, string>;
  /** False where the kernel cannot tell the server of its parent's death: a watchdog must. */
  readonly guardedByKernel: boolean;
}

export function chooseLauncher(dataDir: string, host: Host, packageRoot: string): Launcher {
  const identity = identities(dataDir, host).find((candidate) => reaches(candidate, dataDir, host));
  if (identity === undefined) {
    throw new Error(
      `The embedded database may not run as root, and DATA_DIR ${dataDir} cannot be reached by another user: ` +
        'choose a DATA_DIR that every user can enter, or set DATABASE_URL to a PostgreSQL server.',
    );
  }
  const binaries = runnable(identity, dataDir, host, packageRoot);
  return { ...identity, root: binaries.root, env: environment(binaries), guardedByKernel: host.setpriv };
}

function identities(dataDir: string, host: Host): Identity[] {
  if (host.uid !== 0) return [{ uid: host.uid, gid: host.gid, prefix: [] }];
  const cluster = statSync(clusterFolder(dataDir), { throwIfNoEntry: false });
  if (cluster !== undefined && cluster.uid !== 0) return [{ uid: cluster.uid, gid: cluster.gid, prefix: [] }];
  const parent = statSync(dirname(dataDir));
  return [
    ...(host.unshare ? [{ uid: 0, gid: 0, prefix: unshareCommand }] : []),
    { uid: nobody, gid: nobody, prefix: [] },
    ...(parent.uid === 0 ? [] : [{ uid: parent.uid, gid: parent.gid, prefix: [] }]),
  ];
}

/** Another user than root must be able to pass through DATA_DIR; what is secret in it has modes of its own. */
function reaches(identity: Identity, dataDir: string, host: Host): boolean {
  if (identity.uid !== host.uid) chmodSync(dataDir, 0o711);
  return run(identity, ['/bin/sh', '-c', 'cd "$0"', dataDir], serverEnvironment).status === 0;
}

function runnable(identity: Identity, dataDir: string, host: Host, packageRoot: string): Binaries {
  const installed = linkLibraries(packageRoot, join(dataDir, 'lib'));
  const complaint = complaintOf(identity, installed);
  if (complaint === undefined) return installed;
  if (host.uid === 0) {
    // Root installed them where nobody else can go.
    const copied = { root: copyBinaries(packageRoot), libraryPath: undefined };
    if (complaintOf(identity, copied) === undefined) return copied;
    rmSync(dirname(copied.root), { recursive: true });
  }
  throw new Error(
    `The embedded database's programs in ${packageRoot} do not run here: set DATABASE_URL to a PostgreSQL server. ${complaint}`,
  );
}

function complaintOf(identity: Identity, binaries: Binaries): string | undefined {
  const { status, stderr, error } = run(
    identity,
    [join(binaries.root, 'bin', 'postgres'), '--version'],
    environment(binaries),
  );
  return status === 0 ? undefined : (error?.message ?? stderr);
}

function run(identity: Identity, command: string[], env: Record<string, string>): SpawnSyncReturns<string> {
  const [file = '', ...args] = [...identity.prefix, ...command];
  return spawnSync(file, args, { env, encoding: 'utf8', cwd: '/', ...asUser(identity) });
}

/** The user to change to, for spawn; nothing where it is the present one, since only root may name any. */
export function asUser({ uid, gid }: { uid: number; gid: number }): { uid?: number; gid?: number } {
  return uid === process.getuid?.() ? {} : { uid, gid };
}

function environment({ libraryPath }: Binaries): Record<string, string> {
  if (libraryPath === undefined) return serverEnvironment;
  // macOS takes DYLD_… away from programs of the system such as sh: the watchdog sets it from this one.
  return { ...serverEnvironment, LD_LIBRARY_PATH: libraryPath, DYLD_LIBRARY_PATH: libraryPath };
}

/** Files that root's namespace left are handed over when the server must run as another user. */
export function giveCluster(dataDir: string, { uid, gid }: { uid: number; gid: number }): void {
  const folder = clusterFolder(dataDir);
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined || found.uid === uid || process.getuid?.() !== 0) return;
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    chownSync(join(folder, entry), uid, gid);
  // The folder itself last: its owner says that the rest is done.
  chownSync(folder, uid, gid);
}

/** A program of the package that runs once, to its end. */
export function runProgram(launcher: Launcher, program: string, args: string[]): void {
  const guard = launcher.guardedByKernel ? setprivCommand : [];
  const command = [...guard, join(launcher.root, 'bin', program), ...args];
  let done = run(launcher, command, launcher.env);
  // initdb (the server does not) wants a name for its user. A container's user may have none; in a namespace it is nobody.
  const isNameless = /could not look up effective user ID/.test(done.stderr);
  if (isNameless) done = run(launcher, [...unshareCommand, ...command], launcher.env);
  if (done.status === 0) return;
  const advice = isNameless
    ? `user ${launcher.uid} has no name: give it a line in /etc/passwd, or set DATABASE_URL. `
    : '';
  throw new Error(
    `${program} failed: ${advice}${done.stderr || (done.error?.message ?? `signal ${String(done.signal)}`)}`,
  );
}
