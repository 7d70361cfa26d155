// One fault under load, from the break until everything is as it was.
import { until } from '../faults/environment.ts';
import { waitForArrivals } from './arrivals.ts';
import type { Arrival } from './arrivals.ts';
import type { ClusterFault } from './faults.ts';
import type { Load, Write } from './load.ts';
import { summarize } from './report.ts';
import type { ClusterReport } from './report.ts';
import type { ClusterWorld, ServedCluster } from './world.ts';

/** Of the load without a refusal, after which the service works as before. */
const STREAK_SECONDS = 2;
const RECOVERY_MS = 60_000;
/** Retries of a delivery that met the fault come after 5 s and 30 s. */
const ARRIVAL_MS = 45_000;

export interface Running<Servers extends ServedCluster> {
  readonly world: ClusterWorld<Servers>;
  readonly load: Load;
  readonly arrivals: readonly Arrival[];
}

export async function runFault<Servers extends ServedCluster>(
  running: Running<Servers>,
  fault: ClusterFault<Servers>,
): Promise<ClusterReport> {
  const { world, load } = running;
  await waitForStreak(load);
  const from = performance.now();
  const succeededAt = await fault.run(world.cluster);
  await world.cluster.waitUntilWhole();
  await waitForStreak(load);
  const [until, acknowledged] = [performance.now(), load.acknowledgedSince(from)];
  const report = await observe(running, fault.name, acknowledged, from, until);
  return succeededAt === undefined ? report : { ...report, succeededMs: succeededAt - from };
}

/** All that was written since the beginning, after the last fault: a later one may have lost what an earlier one had not. */
export function runControl(running: Running<ServedCluster>): Promise<ClusterReport> {
  return observe(
    running,
    'all together',
    running.load.acknowledgedSince(0),
    running.load.startedAt,
    performance.now(),
  );
}

async function observe(
  { world, load, arrivals }: Running<ServedCluster>,
  fault: string,
  acknowledged: readonly Write[],
  from: number,
  to: number,
): Promise<ClusterReport> {
  const events = acknowledged.filter(({ kind }) => kind === 'event').map(({ key }) => key);
  await waitForArrivals(arrivals, events, ARRIVAL_MS);
  const emails = acknowledged.filter(({ kind }) => kind === 'user').map(({ key }) => key);
  const missing = await world.listMissing(emails);
  return summarize({ fault, from, until: to, writes: load.writes, arrivals, missing });
}

/**
 * The last writes of the load were all acknowledged, and the service answers. Those that it refused as more than the machine can do
 * say nothing of the fault; the report counts them.
 */
async function waitForStreak(load: Load): Promise<void> {
  const since = performance.now();
  const streak = load.writesPerSecond * STREAK_SECONDS;
  await until(
    `${streak} writes in a row are acknowledged`,
    () =>
      load.writes
        .filter(({ answeredAt, code }) => answeredAt >= since && code !== 'overloaded')
        .slice(-streak),
    (last) => last.length === streak && last.every(({ status }) => status > 0 && status < 300),
    RECOVERY_MS,
  );
}
