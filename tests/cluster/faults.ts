// What happens to the cluster: each fault breaks it, waits until another node has taken over, and lets what was broken come back.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';
import type { ClusterNode } from './node.ts';

export interface ClusterFault<Servers = Cluster> {
  readonly name: string;
  /** Resolves when what was broken is on its way back, to when another node was primary, if one had to be. */
  run(cluster: Servers): Promise<number | undefined>;
}

/** How long a node stays away once another one has taken over. */
const AWAY_MS = 3_000;

/** Breaks the primary, and mends it when another node is primary. */
const ofPrimary = (
  name: string,
  begin: (primary: ClusterNode) => void,
  end: (primary: ClusterNode) => void,
): ClusterFault => ({
  name,
  run: async (cluster) => {
    const primary = await cluster.findPrimary();
    begin(primary);
    await cluster.findPrimary(primary);
    const succeededAt = performance.now();
    await sleep(AWAY_MS);
    end(primary);
    return succeededAt;
  },
});

const killPostgres = ofPrimary(
  'primary: kill -9 of PostgreSQL',
  (node) => node.killPostgres(),
  // Its Patroni starts it again.
  () => undefined,
);

const killNode = ofPrimary(
  'primary: kill -9 of PostgreSQL and Patroni',
  (node) => node.kill(),
  (node) => node.start(),
);

const partition = ofPrimary(
  'primary: cut off from all others',
  ({ cable }) => cable?.pull(),
  ({ cable }) => cable?.plug(),
);

/** Where the machine permits no namespaces: the nearest thing, from which a node does not know that it was away. */
const freeze = ofPrimary(
  'primary: PostgreSQL and Patroni stopped (SIGSTOP), no partition',
  (node) => node.freeze(),
  (node) => node.thaw(),
);

const switchover: ClusterFault = {
  name: 'switchover by patronictl',
  run: async (cluster) => {
    const primary = await cluster.findPrimary();
    const standby = await cluster.findSynchronousStandby();
    const [succeededAt] = await Promise.all([
      cluster.findPrimary(primary).then(() => performance.now()),
      primary.switchOverTo(standby),
    ]);
    return succeededAt;
  },
};

const wipeStandby: ClusterFault = {
  name: 'synchronous standby: killed, wiped and rebuilt',
  run: async (cluster) => {
    const standby = await cluster.findSynchronousStandby();
    standby.kill();
    standby.wipe();
    standby.start();
    return undefined;
  },
};

export function listFaults({ nodes }: Cluster): readonly ClusterFault[] {
  const cutOff = nodes.every(({ cable }) => cable !== undefined) ? partition : freeze;
  return [killPostgres, killPostgres, killNode, cutOff, switchover, wipeStandby];
}
