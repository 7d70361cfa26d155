// Citus whose coordinator and workers are groups of Patroni, set up by the files of deploy/patroni and deploy/citus.
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { openPool } from '../../cluster/members.ts';
import { openLoopback } from '../../cluster/network.ts';
import { ClusterNode } from '../../cluster/node.ts';
import type { NodePorts } from '../../cluster/node.ts';
import { PATRONI_FILES, Surroundings } from '../../cluster/surroundings.ts';
import { until } from '../../faults/environment.ts';
import { findFreePort } from '../../faults/restarts.ts';
import { migrateAndDistribute } from '../template.ts';
import { COORDINATOR, PatroniGroup } from './group.ts';

const CITUS_FILES = join(import.meta.dirname, '../../../deploy/citus');
const DATABASE = 'partner';
const SHARDS = 8;
const NODES_EACH = 2;
const GROUPS = [COORDINATOR, 1, 2];
/** A server of each group is made and copied. */
const START_MS = 150_000;
/** A killed node recovers, is rewound and replays: 23 s were seen under load, with six servers on two cores. */
const WHOLE_MS = 120_000;
/** What is prepared for longer was left behind: Citus finishes it within `citus.recover_2pc_interval`. */
const LEFT_SECONDS = 10;
/** What the coordinator is asked may run on all groups. */
const PATIENCE = { connectionTimeoutMillis: 5_000, query_timeout: 20_000 };

export class PatroniCitus {
  readonly coordinator: PatroniGroup;
  readonly workers: readonly PatroniGroup[];
  readonly #surroundings: Surroundings;
  readonly #ports: NodePorts;
  readonly #password = randomBytes(16).toString('hex');

  private constructor(surroundings: Surroundings, ports: NodePorts, programs: string) {
    this.#surroundings = surroundings;
    this.#ports = ports;
    const configuration = join(surroundings.folder, 'patroni');
    mkdirSync(configuration);
    copyFileSync(join(PATRONI_FILES, 'patroni.yml'), join(configuration, 'patroni.yml'));
    copyFileSync(join(CITUS_FILES, 'citus.yml'), join(configuration, 'citus.yml'));
    const sites = openLoopback(GROUPS.length * NODES_EACH).nodes;
    const nodes = sites.map((site, index) => {
      const [citusGroup, place] = [Math.floor(index / NODES_EACH), index % NODES_EACH];
      const name = `group${citusGroup}node${place + 1}`;
      return new ClusterNode({
        ...site,
        ...{ name, ports, programs, citusGroup, configuration },
        ...{ etcd: surroundings.etcd, password: this.#password },
        folder: join(surroundings.folder, name),
        logFile: surroundings.logOf(name),
      });
    });
    const makeGroup = (group: number): PatroniGroup =>
      new PatroniGroup(group, nodes.slice(group * NODES_EACH, (group + 1) * NODES_EACH), {
        ...this.#connectionOf('postgres', ports.postgres),
        ...PATIENCE,
      });
    this.coordinator = makeGroup(COORDINATOR);
    this.workers = GROUPS.filter((group) => group !== COORDINATOR).map(makeGroup);
  }

  /** Runs nothing yet; `start` follows, and `close` in any case. */
  static async make(programs: string): Promise<PatroniCitus> {
    const ports = { postgres: await findFreePort(), patroni: await findFreePort() };
    return new PatroniCitus(await Surroundings.make('127.0.0.1'), ports, programs);
  }

  get groups(): readonly PatroniGroup[] {
    return [this.coordinator, ...this.workers];
  }

  /** Resolves when all groups run, know each other, and have the database of the service. */
  async start(): Promise<void> {
    this.#surroundings.startEtcd();
    for (const node of this.#listNodes()) node.start();
    this.#surroundings.startHaproxy(
      this.coordinator.nodes.map(({ address }) => address),
      this.#ports,
    );
    await this.waitUntilWhole(START_MS);
    await this.coordinator.ask(`create role partner login password '${this.#password}'`);
    // The service's role connects to the workers too: its limit of a wait for a lock does not reach them otherwise.
    await this.coordinator.ask(`alter role partner set lock_timeout = '2s'`);
    for (const group of this.groups) {
      await group.ask(`insert into pg_dist_authinfo values (0, 'partner', 'password=${this.#password}')`);
      await group.ask(
        `set citus.enable_ddl_propagation = off; alter database ${DATABASE} owner to partner; set citus.enable_ddl_propagation = on`,
      );
    }
    const { host, port } = this.#surroundings.entrance;
    await migrateAndDistribute(
      { ...this.#connectionOf('partner', port), host },
      { ...this.#connectionOf('postgres', port), host },
      SHARDS,
    );
  }

  /** For the service, through HAProxy. */
  get databaseUrl(): string {
    const { host, port } = this.#surroundings.entrance;
    return `postgresql://partner:${this.#password}@${host}:${port}/${DATABASE}`;
  }

  openClient(): pg.Pool {
    const { host, port } = this.#surroundings.entrance;
    return openPool({ ...this.#connectionOf('partner', port), ...PATIENCE, host });
  }

  /** Each group has a primary that the coordinator knows and a synchronous standby, all primaries answer, and nothing is left prepared. */
  async waitUntilWhole(patienceMs = WHOLE_MS): Promise<void> {
    await until(
      'nothing is missing',
      () => this.#findGap().catch(String),
      (gap) => gap === undefined,
      patienceMs,
    );
  }

  /** Resolves when the coordinator leads to this primary of a group. */
  async waitUntilKnown(group: PatroniGroup, primary: ClusterNode): Promise<void> {
    await until(
      'the coordinator knows the primary',
      () => this.#listKnown().catch(() => new Map<number, string>()),
      (known) => known.get(group.number) === primary.address,
      WHOLE_MS,
    );
  }

  /** The worker that has the organization with most messages. */
  async findBusiestWorker(): Promise<PatroniGroup> {
    const [found] = await this.coordinator.ask<{ group: number }>(
      `select p.groupid as group
       from (select org_id from messages group by org_id order by count(*) desc limit 1) busiest
       join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('messages', busiest.org_id)`,
    );
    const worker = this.workers.find(({ number }) => number === found?.group);
    if (worker === undefined) throw new Error('No worker has messages.');
    return worker;
  }

  /** Transactions in all groups that have been between the two phases of their commit for so long. */
  async listPrepared(seconds: number): Promise<string[]> {
    const all = await Promise.all(
      this.groups.map((group) =>
        group.ask<{ gid: string }>(
          'select gid from pg_prepared_xacts where prepared <= now() - make_interval(secs => $1)',
          [seconds],
        ),
      ),
    );
    return all.flat().map(({ gid }) => gid);
  }

  describe(): string {
    return this.#surroundings.describe(this.#listNodes());
  }

  async close(): Promise<void> {
    await Promise.all(this.groups.map((group) => group.close()));
    await this.#surroundings.close();
  }

  #connectionOf(
    user: string,
    port: number,
  ): { user: string; password: string; database: string; port: number } {
    return { user, password: this.#password, database: DATABASE, port };
  }

  #listNodes(): ClusterNode[] {
    return this.groups.flatMap(({ nodes }) => nodes);
  }

  /** The address of each group in pg_dist_node. */
  async #listKnown(): Promise<ReadonlyMap<number, string>> {
    const rows = await this.coordinator.ask<{ group: number; address: string }>(
      `select groupid as group, nodename as address from pg_dist_node where noderole = 'primary'`,
    );
    return new Map(rows.map(({ group, address }) => [group, address]));
  }

  /** What is not as it was; undefined when all is. */
  async #findGap(): Promise<string | undefined> {
    for (const group of this.groups) {
      const gap = await group.findGap();
      if (gap !== undefined) return gap;
    }
    const known = await this.#listKnown();
    for (const group of this.groups) {
      const address = known.get(group.number);
      if (address !== (await group.findPrimary()).address)
        return `group ${group.number} is known at ${address}`;
    }
    const answers = await this.coordinator.ask<{ success: boolean }>(
      `select success from run_command_on_all_nodes('select 1')`,
    );
    if (answers.length < this.groups.length || answers.some(({ success }) => !success))
      return 'a node does not answer';
    const left = await this.listPrepared(LEFT_SECONDS);
    return left.length === 0 ? undefined : `prepared: ${left.join(', ')}`;
  }
}
