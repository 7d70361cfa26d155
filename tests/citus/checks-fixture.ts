// What the checks of deploy/citus write and read: partners on a node, their deliveries, a node that is away, a shard on the move.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { insertOrganization } from '../../src/queries/accounts/organizations.ts';
import type { Db } from '../../src/queries/connection/database.ts';
import { claimDeliveries } from '../../src/queries/deliveries/delivery-queue.ts';
import type { ClaimedDelivery } from '../../src/queries/deliveries/delivery-queue.ts';
import type { FinishedAttempt } from '../../src/queries/deliveries/delivery-results.ts';
import { writeMessage } from '../support/announced-messages.ts';
import { HIGH_LIMITS } from '../support/claims.ts';
import { DATABASE } from './cluster.ts';
import type { CitusCluster } from './cluster.ts';
import { HOST } from './server.ts';
import type { CitusServer } from './server.ts';

export const LEASE_MS = 60_000;
const MOST_TRIES = 100;

export interface Checked {
  readonly cluster: CitusCluster;
  readonly db: Db;
}

/** An organization on the node: a partner, or one of the simulator's of a partner. */
export async function addOrganizationOn(
  { cluster, db }: Checked,
  node: CitusServer,
  parentOrgId: string | null = null,
) {
  const kind = parentOrgId === null ? 'partner' : 'simulation';
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const id = randomUUID();
    if ((await cluster.findServer(id)) !== node) continue;
    await insertOrganization(db, { id, name: 'Tried', kind, parentOrgId, createdAt: new Date() });
    return id;
  }
  throw new Error('No organization comes to this node.');
}

/** Webhooks of an organization, for each of which a message is then pending. */
export async function addDeliveries(
  { cluster, db }: Checked,
  orgId: string,
  webhooks = 1,
  messages = 1,
): Promise<void> {
  await cluster.ask(
    `insert into webhooks (org_id, id, url, topics, encrypted_secret, secret_key_id, created_at, updated_at)
     select $1, id, 'https://partner.example', '{device.information}', '', 'none', $3, $3 from unnest($2::uuid[]) id`,
    [orgId, Array.from({ length: webhooks }, () => randomUUID()), new Date()],
  );
  await db.transaction().execute(async (tx) => {
    for (let message = 0; message < messages; message += 1) await writeMessage(tx, orgId, randomUUID());
  });
}

/** A partner on the node, with a webhook and one pending delivery. */
export async function addPartner(checked: Checked, node: CitusServer): Promise<string> {
  const orgId = await addOrganizationOn(checked, node);
  await addDeliveries(checked, orgId);
  return orgId;
}

export async function claim({ db }: Checked): Promise<readonly ClaimedDelivery[]> {
  const terms = { workerId: 1, leaseMs: LEASE_MS, leaseToken: randomUUID() };
  return (await claimDeliveries(db, HIGH_LIMITS, terms)).deliveries;
}

export const failed = ({
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

export const delivered = (
  slot: Pick<FinishedAttempt, 'worker_id' | 'slot' | 'lease_token'>,
): FinishedAttempt => ({
  ...failed(slot),
  state: 'delivered',
  retry_after_ms: undefined,
  error_class: undefined,
  status_code: 204,
});

/** What is written of an organization's deliveries, and how many its partner is counted to have pending. */
export async function readResults({ cluster }: Checked, orgId: string) {
  const [result] = await cluster.ask(
    `select (select string_agg(state || ' ' || attempts, ', ') from deliveries where org_id = $1) as deliveries,
       (select count(*)::integer from delivery_attempts where org_id = $1) as logged,
       (select sum(deliveries)::integer from pending_delivery_counts where org_id = $1) as counted`,
    [orgId],
  );
  return result;
}

export const countSlots = async ({ cluster }: Checked): Promise<number> =>
  (await cluster.ask('select from in_flight_slots where message_id is not null')).length;

/** Runs work while a node is killed; it answers again afterwards. */
export async function withoutNode(node: CitusServer, work: () => Promise<void>): Promise<void> {
  await node.killForGood();
  try {
    await work();
  } finally {
    node.start();
    await node.waitUntilReady();
  }
}

/** Runs work when a shard of an organization has moved, in a transaction that is not committed yet. */
export async function whileMoving(
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
    await mover.query(`set local statement_timeout = '30s'`);
    await mover.query(
      `select citus_move_shard_placement(get_shard_id_for_distribution_column('users', $1::uuid), $2, $3, $2, $4, 'block_writes')`,
      [orgId, HOST, from.port, to?.port],
    );
    await work(() => mover.query('commit'));
  } finally {
    await mover.end();
  }
}
