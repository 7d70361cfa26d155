// One fault after the other under the service at work, and a table of what they did.
import type { ClusterFault } from './faults.ts';
import { runInTime } from './in-time.ts';
import { isGood, printReports } from './report.ts';
import type { ClusterReport } from './report.ts';
import { runControl, runFault } from './run.ts';
import type { Running } from './run.ts';
import type { ClusterWorld, ServedCluster } from './world.ts';

/** Whether nothing that was acknowledged is lost. Starts the world, and closes it in any case. */
export function breakInTime<Servers extends ServedCluster>(
  world: ClusterWorld<Servers>,
  faults: readonly ClusterFault<Servers>[],
  deadlineMs: number,
): Promise<boolean> {
  const runAndDescribe = (): Promise<boolean> =>
    breakInTurn(world, () => faults)
      .catch((error: unknown) => {
        console.error(world.cluster.describe());
        throw error;
      })
      .finally(() => console.error(world.describe()));
  return runInTime(runAndDescribe, () => world.close(), deadlineMs);
}

/** The same without an end: the caller closes the world. */
export async function breakInTurn<Servers extends ServedCluster>(
  world: ClusterWorld<Servers>,
  listFaults: (running: Running<Servers>) => readonly ClusterFault<Servers>[],
): Promise<boolean> {
  const running = { world, ...(await world.start()) };
  const reports: ClusterReport[] = [];
  for (const fault of listFaults(running)) {
    const report = await runFault(running, fault);
    reports.push(report);
    const { acknowledged, lost, messagesLost, withoutWritesMs } = report;
    const seconds = (withoutWritesMs / 1_000).toFixed(1);
    console.error(
      `${fault.name}: ${acknowledged} acknowledged, ${lost + messagesLost} lost, ${seconds} s without writes`,
    );
  }
  const control = await runControl(running);
  printReports(reports, control);
  const isAllGood = [...reports, control].every(isGood);
  if (!isAllGood) console.error(world.cluster.describe());
  return isAllGood;
}
