// What the functions of deploy/citus promise beyond those of the migrations: each is tried on the cluster with a node away, a shard on
// the move, or a schema that has grown.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { openDatabase } from '../../src/queries/connection/database.ts';
import type { Db } from '../../src/queries/connection/database.ts';
import { claimDeliveries } from '../../src/queries/deliveries/delivery-queue.ts';
import {
  cancelUnwantedDeliveries,
  recordFinishedAttempts,
} from '../../src/queries/deliveries/delivery-results.ts';
import type { FinishedAttempt } from '../../src/queries/deliveries/delivery-results.ts';
import { addOrganization, writeMessage } from '../support/announced-messages.ts';
import { HIGH_LIMITS } from '../support/claims.ts';
import { DATABASE } from './cluster.ts';
import type { CitusCluster } from './cluster.ts';
import { HOST } from './server.ts';
import type { CitusServer } from './server.ts';
import { runScripts } from './template.ts';

const LEASE_MS = 60_000;
const MOST_TRIES = 100;

interface Checked {
  readonly cluster: CitusCluster;
  readonly db: Db;
}

/** A partner on the node, with a webhook and one pending delivery. */
async function addPartner({ cluster, db }: Checked, node: CitusServer): Promise<string> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const orgId = await addOrganization(db);
    if ((await cluster.findServer(orgId)) !== node) continue;
    await cluster.ask(
      `insert into webhooks (org_id, id, url, topics, encrypted_secret, secret_key_id, created_at, updated_at)
       values ($1, $2, 'https://partner.example', '{device.information}', '', 'none', $3, $3)`,
      [orgId, randomUUID(), new Date()],
    );
    await db.transaction().execute((tx) => writeMessage(tx, orgId, randomUUID()));
    return orgId;
  }
  throw new Error('No organization comes to this node.');
}

async function claim({ db }: Checked) {
  const terms = { workerId: 1, leaseMs: LEASE_MS, leaseToken: randomUUID() };
  return (await claimDeliveries(db, HIGH_LIMITS, terms)).deliveries;
}

const failed = ({
  worker_id,
  slot,
  lease_token,
}: Pick<FinishedAttempt, 'worker_id' | 'slot' | 'lease_token'>): FinishedAttempt => ({
  worker_id,
  slot,
  lease_token,
  state: 'pending',
  retry_after_ms: LEASE_MS,
  started_at: new Date(),
  duration_ms: 1,
  error_class: 'status',
  status_code: 500,
  detail: undefined,
  address: undefined,
  secret_version: 1,
});

const delivered = (slot: Pick<FinishedAttempt, 'worker_id' | 'slot' | 'lease_token'>): FinishedAttempt => ({
  ...failed(slot),
  state: 'delivered',
  retry_after_ms: undefined,
  error_class: undefined,
  status_code: 204,
});

/** What is written of an organization's deliveries, and how many its partner is counted to have pending. */
async function readResults({ cluster }: Checked, orgId: string) {
  const [result] = await cluster.ask(
    `select (select string_agg(state || ' ' || attempts, ', ') from deliveries where org_id = $1) as deliveries,
       (select count(*)::integer from delivery_attempts where org_id = $1) as logged,
       (select sum(deliveries)::integer from pending_delivery_counts where org_id = $1) as counted`,
    [orgId],
  );
  return result;
}

const countSlots = async ({ cluster }: Checked): Promise<number> =>
  (await cluster.ask('select from in_flight_slots where message_id is not null')).length;

/** Runs work while a node is killed; it answers again afterwards. */
async function withoutNode(node: CitusServer, work: () => Promise<void>): Promise<void> {
  await node.killForGood();
  try {
    await work();
  } finally {
    node.start();
    await node.waitUntilReady();
  }
}

async function recordBesideSilentNode(checked: Checked): Promise<void> {
  const { cluster, db } = checked;
  const [here, away] = cluster.servers.workers as [CitusServer, CitusServer];
  const [reached, silent] = [await addPartner(checked, here), await addPartner(checked, away)];
  const attempts = (await claim(checked)).map(failed);
  equal(attempts.length, 2);
  await withoutNode(away, async () => {
    for (let tries = 0; tries < 3; tries += 1)
      await rejects(recordFinishedAttempts(db, attempts, new Date()));
    deepEqual(await readResults(checked, reached), { deliveries: 'pending 1', logged: 1, counted: 1 });
    equal(await countSlots(checked), 1);
  });
  equal((await recordFinishedAttempts(db, attempts, new Date())).length, 1);
  for (const orgId of [reached, silent])
    deepEqual(await readResults(checked, orgId), { deliveries: 'pending 1', logged: 1, counted: 1 });
  equal(await countSlots(checked), 0);
}

async function claimBesideSilentNode(checked: Checked): Promise<void> {
  const { cluster, db } = checked;
  const [here, away] = cluster.servers.workers as [CitusServer, CitusServer];
  const reached = await addPartner(checked, here);
  await withoutNode(away, async () => {
    const claimed = await claim(checked);
    deepEqual(
      claimed.map(({ org_id: orgId }) => orgId),
      [reached],
    );
    await recordFinishedAttempts(db, claimed.map(delivered), new Date());
    deepEqual(await readResults(checked, reached), { deliveries: 'delivered 1', logged: 1, counted: 0 });
  });
}

/** Runs work when a shard of an organization has moved, in a transaction that is not committed yet. */
async function whileMoving(
  { cluster }: Checked,
  orgId: string,
  work: (commit: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const from = await cluster.findServer(orgId);
  const to = cluster.servers.workers.find((worker) => worker !== from);
  const mover = new pg.Client(cluster.servers.coordinator.connectionTo(DATABASE));
  await mover.connect();
  try {
    await mover.query('begin');
    await mover.query(
      `select citus_move_shard_placement(get_shard_id_for_distribution_column('users', $1::uuid), $2, $3, $2, $4, 'block_writes')`,
      [orgId, HOST, from.port, to?.port],
    );
    await work(() => mover.query('commit'));
  } finally {
    await mover.end();
  }
}

async function recordBesideMove(checked: Checked): Promise<void> {
  const { cluster, db } = checked;
  const orgId = await addPartner(checked, cluster.servers.workers[0] as CitusServer);
  const attempts = (await claim(checked)).map(delivered);
  await whileMoving(checked, orgId, async (commit) => {
    await rejects(recordFinishedAttempts(db, attempts, new Date()), /lock timeout/);
    await commit();
  });
  equal((await recordFinishedAttempts(db, attempts, new Date())).length, 1);
  deepEqual(await readResults(checked, orgId), { deliveries: 'delivered 1', logged: 1, counted: 0 });
  equal(await countSlots(checked), 0);
}

async function lockBesideMove(checked: Checked): Promise<void> {
  const { cluster, db } = checked;
  const orgId = await addPartner(checked, cluster.servers.workers[0] as CitusServer);
  await cancelUnwantedDeliveries(
    db,
    (await claim(checked)).map((each) => ({ ...each, unwanted: 'deleted' })),
    new Date(),
  );
  deepEqual(await readResults(checked, orgId), { deliveries: 'cancelled 0', logged: 0, counted: 0 });
  const lock = () => sql`select lock_organization(${orgId})`.execute(db);
  // The row that is locked is there from then on.
  await lock();
  await whileMoving(checked, orgId, async (commit) => {
    await rejects(lock(), /lock timeout/);
    await commit();
  });
  await lock();
}

/** As many keys as shards, one in each. */
async function countKeys({ cluster }: Checked): Promise<{ keys: number; shards: number }> {
  const [counts] = await cluster.ask<{ keys: number; shards: number }>(
    `select count(*)::integer as keys, count(distinct get_shard_id_for_distribution_column('shard_keys', key))::integer as shards
     from unnest((select keys from all_shard_keys())) key`,
  );
  return counts ?? { keys: 0, shards: 0 };
}

async function keepOneKeyOfShard(checked: Checked): Promise<void> {
  const { cluster } = checked;
  const whole = await countKeys(checked);
  equal(whole.keys, whole.shards);
  await cluster.ask(
    'delete from shard_keys where id = (select min(id::text)::uuid from unnest((select keys from all_shard_keys())) id)',
  );
  await cluster.ask('insert into shard_keys select gen_random_uuid() from generate_series(1, 5)');
  await Promise.all([1, 2].map(() => cluster.ask('select add_missing_shard_keys()')));
  deepEqual(await countKeys(checked), whole);
}

/** As the page tells for an upgrade: migrate, then both scripts. */
async function upgrade(checked: Checked): Promise<void> {
  const { cluster } = checked;
  const superuser = cluster.servers.coordinator.connectionTo(DATABASE);
  await cluster.ask('create table marks (org_id uuid primary key references organizations (id))');
  await rejects(runScripts(superuser), /Tables without a place: marks/);
  await runScripts(superuser, (text) =>
    text.replace("('messages', 'org_id'),", "('messages', 'org_id'),\n  ('marks', 'org_id'),"),
  );
  const placed = await cluster.ask(
    `select count(*)::integer as shards from pg_dist_shard where logicalrelid = 'marks'::regclass`,
  );
  const users = await cluster.ask(
    `select count(*)::integer as shards from pg_dist_shard where logicalrelid = 'users'::regclass`,
  );
  deepEqual(placed, users);
  await runScripts(superuser, (text) =>
    text.replace("('messages', 'org_id'),", "('messages', 'org_id'),\n  ('marks', 'org_id'),"),
  );
  await cluster.ask('drop table marks');
}

const CHECKS: readonly { readonly promise: string; readonly check: (checked: Checked) => Promise<void> }[] = [
  { promise: 'results are recorded once while another node is away', check: recordBesideSilentNode },
  { promise: 'deliveries of other nodes are claimed while a node is away', check: claimBesideSilentNode },
  { promise: 'results wait for a shard that is moved', check: recordBesideMove },
  { promise: 'a lock of an organization waits for a shard that is moved', check: lockBesideMove },
  { promise: 'a shard has one key', check: keepOneKeyOfShard },
  { promise: 'both scripts run again when the schema has grown', check: upgrade },
];

/** Prints a line for each promise; resolves to whether all are kept. */
export async function runChecks(cluster: CitusCluster): Promise<boolean> {
  const { db, close } = openDatabase({ connection: cluster.databaseUrl, max: 4 });
  let broken = 0;
  try {
    for (const { promise, check } of CHECKS) {
      try {
        await check({ cluster, db });
        console.log(`kept    ${promise}`);
      } catch (error) {
        broken += 1;
        console.log(`broken  ${promise}`);
        console.error(error);
      }
    }
  } finally {
    await close();
  }
  return broken === 0;
}
