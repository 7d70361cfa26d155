// What the functions of deploy/citus promise beyond those of the migrations: each is tried on the cluster with a node away, a shard on
// the move, or a schema that has grown.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { openDatabase } from '../../src/queries/connection/database.ts';
import { CLAIM_WINDOW, claimDeliveries } from '../../src/queries/deliveries/delivery-queue.ts';
import type { ClaimCursor } from '../../src/queries/deliveries/delivery-queue.ts';
import {
  cancelUnwantedDeliveries,
  recordFinishedAttempts,
} from '../../src/queries/deliveries/delivery-results.ts';
import {
  addDeliveries,
  addOrganizationOn,
  addPartner,
  claim,
  countSlots,
  delivered,
  failed,
  LEASE_MS,
  readResults,
  whileMoving,
  withoutNode,
} from './checks-fixture.ts';
import type { Checked } from './checks-fixture.ts';
import { DATABASE } from './cluster.ts';
import type { CitusCluster } from './cluster.ts';
import type { CitusServer } from './server.ts';
import { runScripts } from './template.ts';

/** Transactions of several nodes that the coordinator knows to be committed. */
const listTwoPhased = async ({ cluster }: Checked): Promise<string[]> =>
  (await cluster.ask<{ gid: string }>('select gid from pg_dist_transaction')).map(({ gid }) => gid);

async function recordInTwoPhases(checked: Checked): Promise<void> {
  const orgId = await addPartner(checked, checked.cluster.servers.workers[0] as CitusServer);
  const attempts = (await claim(checked)).map(failed);
  const before = await listTwoPhased(checked);
  await recordFinishedAttempts(checked.db, attempts, new Date());
  deepEqual(await readResults(checked, orgId), { deliveries: 'pending 1', logged: 1, counted: 1 });
  equal((await listTwoPhased(checked)).filter((gid) => !before.includes(gid)).length, 1);
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
  const ofSilent = await addOrganizationOn(checked, here, await addOrganizationOn(checked, away));
  await addDeliveries(checked, ofSilent);
  await withoutNode(away, async () => {
    const claimed = await claim(checked);
    deepEqual(
      claimed.map(({ org_id: orgId }) => orgId),
      [reached],
    );
    await recordFinishedAttempts(db, claimed.map(delivered), new Date());
    deepEqual(await readResults(checked, reached), { deliveries: 'delivered 1', logged: 1, counted: 0 });
  });
  const claimed = await claim(checked);
  deepEqual(
    claimed.map(({ org_id: orgId }) => orgId),
    [ofSilent],
  );
  await recordFinishedAttempts(db, claimed.map(delivered), new Date());
}

/** A window holds 256 webhooks, also such of which nothing can be leased: the next claim goes on behind them. */
async function keepWindow(checked: Checked): Promise<void> {
  const orgId = await addOrganizationOn(checked, checked.cluster.servers.workers[0] as CitusServer);
  await addDeliveries(checked, orgId, CLAIM_WINDOW + 2, 2);
  const limits = { first: 2 * CLAIM_WINDOW, retry: 0, perWebhook: 1, perPartner: 2 * CLAIM_WINDOW };
  const claimFrom = (cursor?: ClaimCursor) =>
    claimDeliveries(checked.db, limits, { workerId: 1, leaseMs: LEASE_MS, leaseToken: randomUUID() }, cursor);
  const first = await claimFrom();
  equal(first.deliveries.length, CLAIM_WINDOW);
  const again = await claimFrom();
  deepEqual([again.deliveries.length, again.nextCursor], [0, first.nextCursor]);
  const rest = await claimFrom(again.nextCursor);
  equal(rest.deliveries.length, 2);
  const all = [...first.deliveries, ...rest.deliveries];
  await cancelUnwantedDeliveries(
    checked.db,
    all.map((each) => ({ ...each, unwanted: 'deleted' })),
    new Date(),
  );
  await checked.cluster.ask(
    `update deliveries set state = 'cancelled', cancel_reason = 'deleted', finished_at = now() where org_id = $1 and state = 'pending'`,
    [orgId],
  );
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

const PLACE = "('messages', 'org_id'),";
const withPlaceOfMarks = (text: string): string => text.replace(PLACE, `${PLACE}\n  ('marks', 'org_id'),`);

async function countShards({ cluster }: Checked, table: string): Promise<number> {
  return (await cluster.ask('select from pg_dist_shard where logicalrelid = $1::regclass', [table])).length;
}

/** As the page tells for an upgrade, while deliveries are claimed: a new table, then both scripts. */
async function upgrade(checked: Checked): Promise<void> {
  const { cluster } = checked;
  const superuser = cluster.servers.coordinator.connectionTo(DATABASE);
  await cluster.ask('create table marks (org_id uuid primary key references organizations (id))');
  await rejects(runScripts(superuser), /Tables without a place: marks/);
  let isUpgraded = false;
  const claimAll = async (): Promise<void> => {
    while (!isUpgraded) await claim(checked);
  };
  const upgradeTwice = async (): Promise<void> => {
    for (let times = 0; times < 2; times += 1) await runScripts(superuser, withPlaceOfMarks);
  };
  await Promise.all([upgradeTwice().finally(() => (isUpgraded = true)), claimAll()]);
  equal(await countShards(checked, 'marks'), await countShards(checked, 'users'));
  await cluster.ask('drop table marks');
}

const CHECKS: readonly { readonly promise: string; readonly check: (checked: Checked) => Promise<void> }[] = [
  { promise: 'results are recorded once while another node is away', check: recordBesideSilentNode },
  { promise: 'deliveries of other nodes are claimed while a node is away', check: claimBesideSilentNode },
  { promise: 'a result and its slot are committed in two phases', check: recordInTwoPhases },
  { promise: 'a webhook of which nothing can be leased holds up none behind the window', check: keepWindow },
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
