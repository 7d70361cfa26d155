// The kill suite of `make faults` with the database on the cluster: of a node instead of the embedded server.
import { FaultEnvironment } from '../faults/environment.ts';
import {
  killBeforeFinish,
  killBeforeSend,
  killDuringFinish,
  killHalfOf,
  killPostgres,
  killPostgresAndWorker,
} from '../faults/kills.ts';
import type { Fault } from '../faults/kills.ts';
import { isGood, printTable } from '../faults/report.ts';
import type { Report } from '../faults/report.ts';
import type { FaultServer } from '../faults/server.ts';
import type { CitusCluster } from './cluster.ts';
import type { CitusServer } from './server.ts';

/** Half a lease, and what several servers on a busy machine need to recover: of speed the cluster says nothing. */
const LIMITS = { workerMs: 10_000, postgresMs: 60_000 };
const MESSAGES = 300;
const MESSAGES_UNDER_LOAD = 1_200;

/** The cluster as the server that faults happen to, of which this node is killed. */
function asFaultServer(
  cluster: CitusCluster,
  name: string,
  findNode: (orgId: string) => Promise<CitusServer>,
): FaultServer {
  return {
    name,
    url: cluster.databaseUrl,
    kill: async (orgId) => (await findNode(orgId)).killAndStart(),
    findUrlOf: async (orgId) => cluster.urlOn(await cluster.findServer(orgId)),
    // The cluster outlives the faults.
    stop: () => Promise.resolve(),
  };
}

/** Prints the table; resolves to whether nothing was lost and all was within its bounds. */
export async function runKills(cluster: CitusCluster): Promise<boolean> {
  const reports: Report[] = [];
  const run = async (server: FaultServer, faults: readonly Fault[], messages: number): Promise<void> => {
    const environment = await FaultEnvironment.open(server);
    try {
      for (const fault of faults) {
        const report = await fault(environment, { messages, ...LIMITS });
        reports.push(report);
        console.error(`${report.fault}: ${report.lost} lost`);
      }
    } finally {
      await environment.close();
    }
  };
  const coordinator = asFaultServer(cluster, 'the coordinator', () =>
    Promise.resolve(cluster.servers.coordinator),
  );
  const node = asFaultServer(cluster, 'the node of the organization', (orgId) => cluster.findServer(orgId));
  try {
    await run(coordinator, [killBeforeSend, killBeforeFinish, killDuringFinish], MESSAGES);
    for (const server of [coordinator, node])
      await run(server, [killPostgres, killPostgresAndWorker], MESSAGES);
    await run(coordinator, [killHalfOf(2), killHalfOf(4)], MESSAGES_UNDER_LOAD);
  } finally {
    printTable(reports);
  }
  return reports.every(isGood);
}
