// `make cluster-test ARGS=rolling`: processes of the service restarted one after the other under load; `ARGS=upgrade`: from the
// last release to this tree.
// `make cluster-test`: faults of a Patroni cluster under the service at work, and a table of what they did. Exits 1 when anything that
// was acknowledged is lost.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkOutVersion } from '../../bench/other-version.ts';
import { Cluster } from './cluster.ts';
import { listFaults } from './faults.ts';
import { listMissingForRestarts, listMissingPackages } from './packages.ts';
import { isGood, printReports } from './report.ts';
import type { ClusterReport } from './report.ts';
import { isGoodRolling, printRolling } from './rolling/report.ts';
import { runRolling } from './rolling/run.ts';
import { runControl, runFault } from './run.ts';
import { ClusterWorld } from './world.ts';

/** The whole table takes half of it on a quiet machine. */
const DEADLINE_MS = 8 * 60_000;
const LOAD = { writesPerSecond: 40, seconds: 540 };

async function breakCluster(wanted: string | undefined): Promise<boolean> {
  const world = new ClusterWorld(await Cluster.make(), LOAD);
  const run = async (): Promise<boolean> => {
    const running = { world, ...(await world.start()) };
    const reports: ClusterReport[] = [];
    for (const fault of listFaults(world.cluster).filter(({ name }) => name.includes(wanted ?? ''))) {
      const report = await runFault(running, fault);
      reports.push(report);
      console.error(`${fault.name}: ${(report.withoutWritesMs / 1_000).toFixed(1)} s without writes`);
    }
    const control = await runControl(running);
    printReports(reports, control);
    const isAllGood = [...reports, control].every(isGood);
    if (!isAllGood) console.error(world.cluster.describe());
    return isAllGood;
  };
  const runAndDescribe = (): Promise<boolean> =>
    run()
      .catch((error: unknown) => {
        console.error(world.cluster.describe());
        throw error;
      })
      .finally(() => console.error(world.describe()));
  return runInTime(runAndDescribe, () => world.close());
}

async function restartInTurn(isUpgrade: boolean): Promise<boolean> {
  const closers: (() => unknown)[] = [];
  const run = async (): Promise<boolean> => {
    const report = await runRolling(closers, isUpgrade ? checkOutRelease(closers) : undefined);
    printRolling(report);
    return isGoodRolling(report);
  };
  let closed: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    for (const close of closers.toReversed()) await close();
  };
  return runInTime(run, () => (closed ??= closeAll()));
}

/** Closes in any case, also when it is interrupted or takes too long; then the process ends with 1. */
async function runInTime(run: () => Promise<boolean>, close: () => Promise<void>): Promise<boolean> {
  const giveUp = (reason: string): void => {
    console.error(reason);
    void close().finally(() => process.exit(1));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => giveUp(`Ended by ${signal}; everything is stopped.`));
  const deadline = setTimeout(() => giveUp(`Not done after ${DEADLINE_MS / 60_000} minutes.`), DEADLINE_MS);
  try {
    return await run();
  } finally {
    clearTimeout(deadline);
    await close();
  }
}

/** The command of the last release. */
function checkOutRelease(closers: (() => unknown)[]): string {
  const file = join(import.meta.dirname, '../../released/history.json');
  const releases = JSON.parse(readFileSync(file, 'utf8')) as { version: string; commit: string }[];
  const [last] = releases.toSorted((a, b) => b.version.localeCompare(a.version, 'en', { numeric: true }));
  const version = checkOutVersion(last?.commit ?? '');
  closers.push(() => version.remove());
  return join(version.tree, 'bin/partner');
}

const [wanted] = process.argv.slice(2);
const isRolling = wanted === 'rolling' || wanted === 'upgrade';
const missing = isRolling ? listMissingForRestarts() : listMissingPackages();
if (missing.length > 0) {
  console.error(`Missing; as root: apt-get install --no-install-recommends ${missing.join(' ')}`);
  process.exitCode = 1;
} else {
  process.exitCode = (await (isRolling ? restartInTurn(wanted === 'upgrade') : breakCluster(wanted))) ? 0 : 1;
}
