// Backup of all nodes under load, and the set as it was at one instant, restored beside it.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { eventKey } from '../cluster/load.ts';
import type { Load } from '../cluster/load.ts';
import type { Running } from '../cluster/run.ts';
import { listMissingUsers } from '../cluster/world.ts';
import { until } from '../faults/environment.ts';
import type { CitusCluster } from './cluster.ts';
import { DATABASE } from './cluster.ts';
import type { Operation } from './operations.ts';
import type { CitusServer } from './server.ts';

const RESTORE_POINT = 'all_nodes';
/** Between the base backups and the restore point: what comes from the archives alone. */
const WRITES_AFTER_BACKUP = 300;
const RECOVERY_MS = 180_000;
/** Of each kind of table: of the partner's organization, and of the organizations of fleets. */
const COUNTED = ['users', 'messages', 'deliveries'];

interface RestoredServer {
  readonly original: CitusServer;
  readonly copy: CitusServer;
}

export const restoreSet = ({ world, load }: Running<CitusCluster>): Operation => ({
  name: 'backup and restore of the set',
  run: async (cluster) => {
    const nodes: RestoredServer[] = [];
    for (const [number, original] of cluster.servers.all.entries())
      nodes.push({ original, copy: await original.backUp(`restored${number}`) });
    const backedUp = load.acknowledgedSince(0).length;
    await waitForWrites(load, backedUp + WRITES_AFTER_BACKUP);
    // What is acknowledged from here on may be behind the restore point.
    const before = load.acknowledgedSince(0);
    await cluster.ask('select citus_create_restore_point($1)', [RESTORE_POINT]);
    await archive(nodes);
    try {
      for (const { original, copy } of nodes) copy.recover(original, RESTORE_POINT);
      await Promise.all(nodes.map(({ copy }) => waitUntilRecovered(copy)));
      await rename(nodes);
      const keys = (kind: string): string[] =>
        before.filter((each) => each.kind === kind).map(({ key }) => key);
      const [coordinator] = nodes;
      if (coordinator === undefined) throw new Error('There is no coordinator.');
      await inspect(coordinator.copy, keys('user'), keys('event'));
      await write(await world.serveCopy(coordinator.copy.urlOf(DATABASE)));
    } finally {
      await Promise.all(nodes.map(({ copy }) => copy.stop()));
    }
    return undefined;
  },
});

async function waitForWrites(load: Load, count: number): Promise<void> {
  await until(
    'the load goes on',
    () => load.acknowledgedSince(0).length,
    (acknowledged) => acknowledged >= count,
  );
}

const ask = <Row extends pg.QueryResultRow>(
  server: CitusServer,
  text: string,
  values?: readonly unknown[],
): Promise<Row[]> => server.ask<Row>(DATABASE, text, values);

/** Resolves when the archives hold the restore point. */
async function archive(nodes: readonly RestoredServer[]): Promise<void> {
  for (const { original } of nodes) {
    const [switched] = await ask<{ file: string }>(
      original,
      'select pg_walfile_name(pg_switch_wal()) as file',
    );
    await until(
      `${switched?.file ?? ''} is archived`,
      () => ask<{ file: string | null }>(original, 'select last_archived_wal as file from pg_stat_archiver'),
      ([archived]) => (archived?.file ?? '') >= (switched?.file ?? ''),
    );
  }
}

async function waitUntilRecovered(server: CitusServer): Promise<void> {
  await until(
    'a node is recovered up to the restore point',
    () => ask<{ recovers: boolean }>(server, 'select pg_is_in_recovery() as recovers').catch(() => undefined),
    (rows) => rows?.[0]?.recovers === false,
    RECOVERY_MS,
  );
}

/** In one statement: nodes that know some of the new addresses alone would call the servers that they were copied from. */
async function rename(nodes: readonly RestoredServer[]): Promise<void> {
  const [coordinator] = nodes;
  if (coordinator === undefined) return;
  const ports = nodes.map(({ original }) => original.port);
  await ask(
    coordinator.copy,
    `select citus_update_node(n.nodeid, n.nodename, p.new_port)
     from unnest($1::integer[], $2::integer[]) as p (port, new_port) join pg_dist_node n on n.nodeport = p.port`,
    [ports, nodes.map(({ copy }) => copy.port)],
  );
  await until(
    'every node knows the new addresses',
    () =>
      ask<{ success: boolean; result: string }>(
        coordinator.copy,
        `select success, result from run_command_on_all_nodes(
           'select count(*) from pg_dist_node where nodeport in (${ports.join(', ')}) or not metadatasynced')`,
      ).catch(() => []),
    (rows) => rows.length === nodes.length && rows.every(({ success, result }) => success && result === '0'),
    RECOVERY_MS,
  );
  await ask(coordinator.copy, 'select recover_prepared_transactions()');
}

/** Throws when something of before the restore point is missing, or is there by half. */
async function inspect(
  coordinator: CitusServer,
  emails: readonly string[],
  events: readonly string[],
): Promise<void> {
  const pool = new pg.Pool({ ...coordinator.connectionTo(DATABASE), max: 1 });
  try {
    const missing = await listMissingUsers(pool, emails);
    const { rows: messages } = await pool.query<{ device: string; notice: string }>(
      `select data ->> 'device_id' as device, data ->> 'notice' as notice
       from (select convert_from(payload, 'UTF8')::jsonb -> 'data' as data from messages) m`,
    );
    const known = new Set(messages.map(({ device, notice }) => eventKey(device, notice)));
    const without = events.filter((key) => !known.has(key));
    const [halves] = await ask<{ count: string }>(
      coordinator,
      `select count(*) from messages m
       where not exists (select from deliveries d where d.org_id = m.org_id and d.message_id = m.id)`,
    );
    const counts = await Promise.all(COUNTED.map((table) => countTwice(coordinator, table)));
    const prepared = await ask<{ result: string }>(
      coordinator,
      `select result from run_command_on_all_nodes('select count(*) from pg_prepared_xacts') where result <> '0'`,
    );
    const names = await ask(
      coordinator,
      `select distinct result from run_command_on_all_nodes('select count(*) from usernames')`,
    );
    console.log(
      `Restored: of ${emails.length} users and ${events.length} events acknowledged before the restore point ${missing.length} and ` +
        `${without.length} are missing; ${halves?.count ?? ''} messages have no delivery; rows by the coordinator and by ` +
        `the shards: ${counts.map(({ text }) => text).join(', ')}; nodes with prepared transactions: ${prepared.length}.`,
    );
    const areSame = counts.every(({ isSame }) => isSame) && names.length === 1;
    if (missing.length + without.length + prepared.length > 0 || halves?.count !== '0' || !areSame)
      throw new Error('The restored set is not what was acknowledged.');
  } finally {
    await pool.end();
  }
}

async function countTwice(
  coordinator: CitusServer,
  table: string,
): Promise<{ readonly text: string; readonly isSame: boolean }> {
  const [row] = await ask<{ whole: string; shards: string }>(
    coordinator,
    `select (select count(*) from ${table}) as whole,
       (select sum(result::bigint) from run_command_on_shards('${table}', 'select count(*) from %s')) as shards`,
  );
  return { text: `${table} ${row?.whole ?? ''} ${row?.shards ?? ''}`, isSame: row?.whole === row?.shards };
}

/** A process of the service writes to it and reads it. */
async function write(api: Awaited<ReturnType<Running<CitusCluster>['world']['serveCopy']>>): Promise<void> {
  const email = `${randomUUID()}@example.com`;
  const made = await api.call<{ id: string }>('POST', '/users', { email, role: 'user' });
  const read = await api.call<{ email: string }>('GET', `/users/${made.body.id}`);
  if (made.status !== 201 || read.body.email !== email)
    throw new Error(`The service on the restored set answered ${made.status} and ${read.status}.`);
}
