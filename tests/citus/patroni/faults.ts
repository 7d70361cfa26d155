// The primary of a group dies; its standby takes over, and the coordinator leads to it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterFault } from '../../cluster/faults.ts';
import type { ClusterNode } from '../../cluster/node.ts';
import type { PatroniCitus } from './cluster.ts';
import type { PatroniGroup } from './group.ts';

/** How long a node stays away once another one has taken over. */
const AWAY_MS = 3_000;

type Part = 'worker' | 'coordinator';

const find = (cluster: PatroniCitus, part: Part): PatroniGroup | Promise<PatroniGroup> =>
  part === 'coordinator' ? cluster.coordinator : cluster.findBusiestWorker();

/** Resolves when the coordinator leads to the other node, to when that was. */
async function followTakeover(
  cluster: PatroniCitus,
  group: PatroniGroup,
  former: ClusterNode,
): Promise<number> {
  await cluster.waitUntilKnown(group, await group.findPrimary(former));
  const succeededAt = performance.now();
  const { length } = await cluster.listPrepared(0);
  console.error(
    `group ${group.number}: ${length} transactions are prepared when another node has taken over`,
  );
  return succeededAt;
}

const ofPrimary = (
  part: Part,
  what: string,
  begin: (primary: ClusterNode, standby: ClusterNode) => unknown,
  end?: (primary: ClusterNode) => void,
): ClusterFault<PatroniCitus> => ({
  name: `${part}: ${what}`,
  run: async (cluster) => {
    const group = await find(cluster, part);
    const former = await group.findPrimary();
    const standby = group.nodes.find((node) => node !== former);
    if (standby === undefined) throw new Error(`No other node is in group ${group.number}.`);
    const [succeededAt] = await Promise.all([followTakeover(cluster, group, former), begin(former, standby)]);
    if (end !== undefined) {
      await sleep(AWAY_MS);
      end(former);
    }
    return succeededAt;
  },
});

/** Its Patroni starts it again. */
const killPostgres = (part: Part): ClusterFault<PatroniCitus> =>
  ofPrimary(part, 'kill -9 of PostgreSQL', (node) => node.killPostgres());

const killNode = (part: Part): ClusterFault<PatroniCitus> =>
  ofPrimary(
    part,
    'kill -9 of PostgreSQL and Patroni',
    (node) => node.kill(),
    (node) => node.start(),
  );

const switchOver = (part: Part): ClusterFault<PatroniCitus> =>
  ofPrimary(part, 'switchover by patronictl', (node, standby) => node.switchOverTo(standby));

export const CITUS_FAULTS: readonly ClusterFault<PatroniCitus>[] = [
  killPostgres('worker'),
  killPostgres('coordinator'),
  killNode('worker'),
  killNode('coordinator'),
  switchOver('worker'),
  switchOver('coordinator'),
];
