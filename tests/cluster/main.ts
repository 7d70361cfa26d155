// `make cluster-test ARGS=rolling`: processes of the service restarted one after the other under load; `ARGS=upgrade`: from the
// last release to this tree; `ARGS=proxy`: a stranger with thousands of connections before the same HAProxy.
// `make cluster-test`: faults of a Patroni cluster under the service at work, and a table of what they did. Exits 1 when anything that
// was acknowledged is lost.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkOutVersion } from '../../bench/other-version.ts';
import { breakInTime } from './break.ts';
import { Cluster } from './cluster.ts';
import { listFaults } from './faults.ts';
import { runInTime } from './in-time.ts';
import { howToInstall, listMissingForRestarts, listMissingPackages } from './packages.ts';
import { isGoodRolling, printRolling } from './rolling/report.ts';
import { runRolling } from './rolling/run.ts';
import { holdOffStrangers } from './strangers.ts';
import { ClusterWorld } from './world.ts';

/** The whole table takes half of it on a quiet machine. */
const DEADLINE_MS = 8 * 60_000;
const LOAD = { writesPerSecond: 40, usersOneIn: 2, seconds: 540 };

type Closers = (() => unknown)[];

async function breakCluster(wanted: string | undefined): Promise<boolean> {
  const world = new ClusterWorld(await Cluster.make(), LOAD);
  const faults = listFaults(world.cluster).filter(({ name }) => name.includes(wanted ?? ''));
  return breakInTime(world, faults, DEADLINE_MS);
}

async function restartInTurn(closers: Closers, isUpgrade: boolean): Promise<boolean> {
  const report = await runRolling(closers, isUpgrade ? checkOutRelease(closers) : undefined);
  printRolling(report);
  return isGoodRolling(report);
}

async function closeInTime(run: (closers: Closers) => Promise<boolean>): Promise<boolean> {
  const closers: Closers = [];
  let closed: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    for (const close of closers.toReversed()) await close();
  };
  return runInTime(
    () => run(closers),
    () => (closed ??= closeAll()),
    DEADLINE_MS,
  );
}

/** The command of the last release. */
function checkOutRelease(closers: Closers): string {
  const file = join(import.meta.dirname, '../../released/history.json');
  const releases = JSON.parse(readFileSync(file, 'utf8')) as { version: string; commit: string }[];
  const [last] = releases.toSorted((a, b) => b.version.localeCompare(a.version, 'en', { numeric: true }));
  const version = checkOutVersion(last?.commit ?? '');
  closers.push(() => version.remove());
  return join(version.tree, 'bin/partner');
}

/** What needs no cluster, but HAProxy. */
const BEHIND_PROXY: Readonly<Record<string, (closers: Closers) => Promise<boolean>>> = {
  rolling: (closers) => restartInTurn(closers, false),
  upgrade: (closers) => restartInTurn(closers, true),
  proxy: holdOffStrangers,
};

const [wanted] = process.argv.slice(2);
const run = BEHIND_PROXY[wanted ?? ''];
const missing = run === undefined ? listMissingPackages() : listMissingForRestarts();
if (missing.length > 0) {
  console.error(howToInstall(missing));
  process.exitCode = 1;
} else {
  process.exitCode = (await (run === undefined ? breakCluster(wanted) : closeInTime(run))) ? 0 : 1;
}
