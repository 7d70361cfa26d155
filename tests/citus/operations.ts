// What is done to a cluster of Citus while the service is at work, and what happens to it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterFault } from '../cluster/faults.ts';
import type { CitusCluster } from './cluster.ts';

/** How long a killed server stays away. */
const AWAY_MS = 3_000;
const BETWEEN_MOVES_MS = 2_000;

export type Operation = ClusterFault<CitusCluster>;

const operation = (name: string, work: (cluster: CitusCluster) => Promise<unknown>): Operation => ({
  name,
  run: async (cluster) => {
    await work(cluster);
    return undefined;
  },
});

const addNode = operation('a worker is added, shards are rebalanced', (cluster) => cluster.addWorker());

const moveTenant = operation(
  'the busiest organization gets a shard of its own and moves',
  async (cluster) => {
    const [tenant] = await cluster.ask<{ id: string }>(
      'select org_id as id from messages group by org_id order by count(*) desc limit 1',
    );
    // Split by replication, pending_item_counts never catches up (Citus 13.2: "publisher did not send replica identity column").
    const [made] = await cluster.ask<{ shard: string }>(
      `select isolate_tenant_to_new_shard('users', $1::uuid, 'CASCADE', shard_transfer_mode := 'block_writes') as shard`,
      [tenant?.id],
    );
    const place = (await cluster.listPlaces()).find(({ shardId }) => shardId === Number(made?.shard));
    const other = cluster.servers.workers.find(({ port }) => port !== place?.port);
    if (place === undefined || other === undefined) throw new Error('The new shard is nowhere.');
    await cluster.move(place, other);
  },
);

const buildIndex = operation('an index is built concurrently on all nodes', async (cluster) => {
  await cluster.ask('create index concurrently users_town_idx on users (org_id, town)');
  const wrong = await cluster.ask(
    `select 1 from run_command_on_shards('users', $$
       select count(*) from pg_index where indrelid = '%s'::regclass and indexrelid::regclass::text like 'users_town_idx%%' and indisvalid $$)
     where not success or result <> '1'`,
  );
  if (wrong.length > 0) throw new Error(`${wrong.length} shards lack the index.`);
});

const killWorker = operation('a worker: kill -9 of PostgreSQL', async ({ servers }) => {
  const [worker] = servers.workers;
  worker?.kill();
  await sleep(AWAY_MS);
  worker?.start();
});

const restartCoordinator = operation('the coordinator is restarted', async ({ servers }) => {
  await servers.coordinator.stop();
  servers.coordinator.start();
});

/** One after the other, to the other worker. */
export const moveForAWhile = (forMs: number): Operation =>
  operation(`shards move for ${forMs / 60_000} minutes`, async (cluster) => {
    const endMs = performance.now() + forMs;
    let moves = 0;
    while (performance.now() < endMs) {
      const places = await cluster.listPlaces();
      const place = places[moves % places.length];
      const other = cluster.servers.workers.find(({ port }) => port !== place?.port);
      if (place === undefined || other === undefined) throw new Error('There is no shard to move.');
      await cluster.move(place, other);
      moves += 1;
      await sleep(BETWEEN_MOVES_MS);
    }
    console.error(`${moves} moves`);
  });

export const OPERATIONS: readonly Operation[] = [
  addNode,
  moveTenant,
  buildIndex,
  killWorker,
  restartCoordinator,
];
