// As which user, and with which programs, the server runs.
//
// An ordinary user runs it as itself. Root may not (PostgreSQL refuses), so root's server runs, in this order:
//   as the owner of an existing cluster that is not root's;
//   in a user namespace that calls root "nobody", where the files stay root's;
//   as the user nobody (65534);
//   as the owner of the folder that holds DATA_DIR (sudo in somebody's home).
// The first of them that can enter DATA_DIR is chosen.
import { spawnSync } from 'node:child_process';
import type { SpawnSyncReturns } from 'node:child_process';
import { chmodSync, chownSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { copyBinariesForAllUsers, linkLibraries } from './binaries.ts';
import type { PostgresBinaries } from './binaries.ts';
import { clusterFolderOf } from './cluster-folder.ts';
import { SERVER_ENVIRONMENT, SETPRIV_COMMAND, UNSHARE_COMMAND } from './host.ts';
import type { HostCapabilities } from './host.ts';

const NOBODY_ID = 65534;

interface ServerIdentity {
  /** Owner of the server's files on disk. */
  readonly uid: number;
  readonly gid: number;
  readonly prefix: string[];
}

export interface Launcher extends ServerIdentity {
  readonly root: string;
  readonly env: Record<string, string>;
  /** Whether the kernel sends the server a signal when its parent dies; otherwise a watchdog process does. */
  readonly hasParentDeathSignal: boolean;
}

/** Chooses user and programs. Throws when no user can enter DATA_DIR, or when the programs do not run here. */
export function choosePostgresLauncher(
  dataDir: string,
  host: HostCapabilities,
  packageRoot: string,
): Launcher {
  const identity = listCandidateIdentities(dataDir, host).find((candidate) =>
    canReachDataDir(candidate, dataDir, host),
  );
  if (identity === undefined) {
    throw new Error(
      `The embedded database may not run as root, and DATA_DIR ${dataDir} cannot be reached by another user: ` +
        'choose a DATA_DIR that every user can enter, or set DATABASE_URL to a PostgreSQL server.',
    );
  }
  const binaries = findRunnableBinaries(identity, dataDir, host, packageRoot);
  return {
    ...identity,
    root: binaries.root,
    env: toServerEnvironment(binaries),
    hasParentDeathSignal: host.setpriv,
  };
}

function listCandidateIdentities(dataDir: string, host: HostCapabilities): ServerIdentity[] {
  if (host.uid !== 0) return [{ uid: host.uid, gid: host.gid, prefix: [] }];
  const cluster = statSync(clusterFolderOf(dataDir), { throwIfNoEntry: false });
  if (cluster !== undefined && cluster.uid !== 0) return [{ uid: cluster.uid, gid: cluster.gid, prefix: [] }];
  const parent = statSync(dirname(dataDir));
  return [
    ...(host.unshare ? [{ uid: 0, gid: 0, prefix: UNSHARE_COMMAND }] : []),
    { uid: NOBODY_ID, gid: NOBODY_ID, prefix: [] },
    ...(parent.uid === 0 ? [] : [{ uid: parent.uid, gid: parent.gid, prefix: [] }]),
  ];
}

/** A user other than root must be able to enter DATA_DIR; the secret files in it have permissions of their own. */
function canReachDataDir(identity: ServerIdentity, dataDir: string, host: HostCapabilities): boolean {
  if (identity.uid !== host.uid) chmodSync(dataDir, 0o711);
  return run(identity, ['/bin/sh', '-c', 'cd "$0"', dataDir], SERVER_ENVIRONMENT).status === 0;
}

function findRunnableBinaries(
  identity: ServerIdentity,
  dataDir: string,
  host: HostCapabilities,
  packageRoot: string,
): PostgresBinaries {
  const installed = linkLibraries(packageRoot, join(dataDir, 'lib'));
  const failure = findBinariesError(identity, installed);
  if (failure === undefined) return installed;
  if (host.uid === 0) {
    // Root installed them in a folder that other users cannot enter.
    const copied = { root: copyBinariesForAllUsers(packageRoot), libraryPath: undefined };
    if (findBinariesError(identity, copied) === undefined) return copied;
    rmSync(dirname(copied.root), { recursive: true });
  }
  throw new Error(
    `The embedded database's programs in ${packageRoot} do not run here: set DATABASE_URL to a PostgreSQL server. ${failure}`,
  );
}

function findBinariesError(identity: ServerIdentity, binaries: PostgresBinaries): string | undefined {
  const { status, stderr, error } = run(
    identity,
    [join(binaries.root, 'bin', 'postgres'), '--version'],
    toServerEnvironment(binaries),
  );
  return status === 0 ? undefined : (error?.message ?? stderr);
}

function run(
  identity: ServerIdentity,
  command: string[],
  env: Record<string, string>,
): SpawnSyncReturns<string> {
  const [file = '', ...args] = [...identity.prefix, ...command];
  return spawnSync(file, args, { env, encoding: 'utf8', cwd: '/', ...toSpawnUser(identity) });
}

/** The options uid and gid of `spawn`; empty for the present user, since only root may set them. */
export function toSpawnUser({ uid, gid }: { uid: number; gid: number }): { uid?: number; gid?: number } {
  return uid === process.getuid?.() ? {} : { uid, gid };
}

function toServerEnvironment({ libraryPath }: PostgresBinaries): Record<string, string> {
  if (libraryPath === undefined) return SERVER_ENVIRONMENT;
  // macOS takes DYLD_… away from programs of the system such as sh: the watchdog sets it from this one.
  return { ...SERVER_ENVIRONMENT, LD_LIBRARY_PATH: libraryPath, DYLD_LIBRARY_PATH: libraryPath };
}

/** Gives the cluster's files to the user as whom the server runs; only root can, and only then it is needed. */
export function changeClusterOwner(dataDir: string, { uid, gid }: { uid: number; gid: number }): void {
  const folder = clusterFolderOf(dataDir);
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined || found.uid === uid || process.getuid?.() !== 0) return;
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    chownSync(join(folder, entry), uid, gid);
  // The folder itself last: once it has the owner, all the rest has it.
  chownSync(folder, uid, gid);
}

/** Runs a program of the package, such as initdb, to its end. Throws with its messages when it fails. */
export function runPostgresProgram(launcher: Launcher, program: string, args: string[]): void {
  const guard = launcher.hasParentDeathSignal ? SETPRIV_COMMAND : [];
  const command = [...guard, join(launcher.root, 'bin', program), ...args];
  let result = run(launcher, command, launcher.env);
  // initdb (the server does not) wants a name for its user. A container's user may have none; in a namespace it is nobody.
  const isNameless = /could not look up effective user ID/.test(result.stderr);
  if (isNameless) result = run(launcher, [...UNSHARE_COMMAND, ...command], launcher.env);
  if (result.status === 0) return;
  const advice = isNameless
    ? `user ${launcher.uid} has no name: give it a line in /etc/passwd, or set DATABASE_URL. `
    : '';
  throw new Error(
    `${program} failed: ${advice}${result.stderr || (result.error?.message ?? `signal ${String(result.signal)}`)}`,
  );
}
