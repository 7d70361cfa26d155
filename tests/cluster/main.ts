// `make cluster-test`: faults of a Patroni cluster under the service at work, and a table of what they did. Exits 1 when anything that
// was acknowledged is lost.
import { Cluster } from './cluster.ts';
import { listFaults } from './faults.ts';
import { listMissingPackages } from './packages.ts';
import { isGood, printReports } from './report.ts';
import type { ClusterReport } from './report.ts';
import { runControl, runFault } from './run.ts';
import { ClusterWorld } from './world.ts';

/** The whole table takes half of it on a quiet machine. */
const DEADLINE_MS = 8 * 60_000;

async function main(wanted: string | undefined): Promise<boolean> {
  const world = new ClusterWorld(await Cluster.make());
  const giveUp = (reason: string): void => {
    console.error(reason);
    void world.close().then(() => process.exit(1));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => giveUp(`Ended by ${signal}; everything is stopped.`));
  const deadline = setTimeout(() => giveUp(`Not done after ${DEADLINE_MS / 60_000} minutes.`), DEADLINE_MS);
  const reports: ClusterReport[] = [];
  try {
    const running = { world, ...(await world.start()) };
    const faults = listFaults(world.cluster).filter(({ name }) => name.includes(wanted ?? ''));
    for (const fault of faults) {
      const report = await runFault(running, fault);
      reports.push(report);
      console.error(`${fault.name}: ${(report.withoutWritesMs / 1_000).toFixed(1)} s without writes`);
    }
    const control = await runControl(running);
    printReports(reports, control);
    const isAllGood = [...reports, control].every(isGood);
    if (!isAllGood) console.error(world.cluster.describe());
    return isAllGood;
  } catch (error) {
    console.error(world.cluster.describe());
    throw error;
  } finally {
    clearTimeout(deadline);
    console.error(world.describe());
    await world.close();
  }
}

const missing = listMissingPackages();
if (missing.length > 0) {
  console.error(`Missing; as root: apt-get install --no-install-recommends ${missing.join(' ')}`);
  process.exitCode = 1;
} else {
  process.exitCode = (await main(process.argv[2])) ? 0 : 1;
}
