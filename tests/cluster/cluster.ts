// etcd, three nodes of Patroni with PostgreSQL, and HAProxy before them, set up by the files of deploy/patroni.
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { until } from '../faults/environment.ts';
import { findFreePort } from '../faults/restarts.ts';
import { openNetwork } from './network.ts';
import type { ClusterNetwork } from './network.ts';
import { ClusterNode } from './node.ts';
import { asClusterUser, endProgram, giveToClusterUser, startProgram, tailOf } from './processes.ts';

const FILES = join(import.meta.dirname, '../../deploy/patroni');
/** A server is made and copied twice. */
const START_MS = 120_000;
/** A node comes back: it replays, is rewound or copied, and streams. */
const WHOLE_MS = 60_000;
const STOP_MS = 5_000;
const CONNECT_MS = 1_000;
const QUERY_MS = 5_000;

interface Ports {
  readonly etcd: number;
  readonly etcdPeer: number;
  readonly postgres: number;
  readonly patroni: number;
  readonly haproxy: number;
}

export class Cluster {
  readonly nodes: readonly ClusterNode[];
  readonly #network: ClusterNetwork;
  readonly #ports: Ports;
  readonly #folder: string;
  readonly #password: string;
  readonly #others: ChildProcess[] = [];
  #admin: pg.Pool | undefined;

  private constructor(network: ClusterNetwork, ports: Ports, folder: string) {
    const password = randomBytes(16).toString('hex');
    this.#network = network;
    this.#ports = ports;
    this.#folder = folder;
    this.#password = password;
    this.nodes = network.nodes.map((site, index) => {
      const name = `node${index + 1}`;
      const [nodeFolder, logFile] = [join(folder, name), this.#logOf(name)];
      const etcd = `${network.hostAddress}:${ports.etcd}`;
      const configuration = join(FILES, 'patroni.yml');
      return new ClusterNode({
        ...site,
        ...{ name, ports, etcd, password, folder: nodeFolder, logFile, configuration },
      });
    });
  }

  /** An empty cluster that runs nothing yet; `start` follows, and `close` in any case. */
  static async make(): Promise<Cluster> {
    const ports = {
      etcd: await findFreePort(),
      etcdPeer: await findFreePort(),
      postgres: await findFreePort(),
      patroni: await findFreePort(),
      haproxy: await findFreePort(),
    };
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'partner-cluster-')));
    chmodSync(folder, 0o755);
    for (const name of ['etcd', 'logs']) mkdirSync(join(folder, name));
    giveToClusterUser(folder);
    return new Cluster(openNetwork(), ports, folder);
  }

  /** Resolves when a primary and two standbys run and the database of the service is made. */
  async start(): Promise<void> {
    this.#startEtcd();
    for (const node of this.nodes) node.start();
    this.#startHaproxy();
    this.#admin = this.#openPool('postgres', 'postgres');
    await this.waitUntilWhole(START_MS);
    await this.#admin.query(`create role partner login password '${this.#password}'`);
    await this.#admin.query('create database partner owner partner');
  }

  /** For the service, through HAProxy. */
  get databaseUrl(): string {
    return `postgresql://partner:${this.#password}@${this.#network.hostAddress}:${this.#ports.haproxy}/partner`;
  }

  /** The service's database, through HAProxy. */
  openClient(): pg.Pool {
    return this.#openPool('partner', 'partner');
  }

  /** The node that answers as primary; in place of a former one, which is not asked: it may be away. */
  async findPrimary(former?: ClusterNode): Promise<ClusterNode> {
    const nodes = this.nodes.filter((node) => node !== former);
    const ask = async (): Promise<ClusterNode[]> => {
      const answers = await Promise.all(nodes.map((node) => node.isPrimary()));
      return nodes.filter((_node, index) => answers[index]);
    };
    const [primary] = await until('one node is primary', ask, ({ length }) => length === 1, WHOLE_MS);
    if (primary === undefined) throw new Error('No node is primary.');
    return primary;
  }

  /** The standby that has everything that was acknowledged. */
  async findSynchronousStandby(): Promise<ClusterNode> {
    const standby = (await this.#listStandbys()).find(({ isCandidate }) => isCandidate);
    const node = this.nodes.find(({ name }) => name === standby?.name);
    if (node === undefined) throw new Error('No standby is synchronous.');
    return node;
  }

  /** A primary, and two standbys that stream from it, of which Patroni would make one primary. */
  async waitUntilWhole(patienceMs = WHOLE_MS): Promise<void> {
    await until(
      'a primary and two standbys stream, one synchronously',
      () => this.#listStandbys(),
      (standbys) =>
        standbys.filter(({ isStreaming }) => isStreaming).length === 2 &&
        standbys.some(({ isCandidate }) => isCandidate),
      patienceMs,
    );
  }

  /** The ends of the logs, for whoever asks why. */
  describe(): string {
    const names = ['etcd', 'haproxy', ...this.nodes.map(({ name }) => name)];
    return names.map((name) => `--- ${name}\n${tailOf(this.#logOf(name))}`).join('\n');
  }

  async close(): Promise<void> {
    await this.#admin?.end().catch(() => undefined);
    await Promise.all(this.nodes.map((node) => node.stop()));
    await Promise.all(this.#others.map((child) => endProgram(child, 'SIGTERM', STOP_MS)));
    this.#network.close();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  /** As the primary sees them; none while there is no primary. */
  async #listStandbys(): Promise<{ name: string; isStreaming: boolean; isCandidate: boolean }[]> {
    try {
      const found = await this.#admin?.query<{ name: string; state: string }>(
        'select application_name as name, state from pg_stat_replication',
      );
      const known = await Promise.any(this.nodes.map((node) => node.listMembers()));
      return (found?.rows ?? []).map(({ name, state }) => ({
        name,
        isStreaming: state === 'streaming',
        isCandidate: known.some((member) => member.name === name && member.role === 'sync_standby'),
      }));
    } catch {
      return [];
    }
  }

  #startEtcd(): void {
    const { hostAddress } = this.#network;
    const clients = `http://${hostAddress}:${this.#ports.etcd}`;
    const peers = `http://${hostAddress}:${this.#ports.etcdPeer}`;
    const options = {
      name: 'etcd1',
      'data-dir': join(this.#folder, 'etcd'),
      'listen-client-urls': clients,
      'advertise-client-urls': clients,
      'listen-peer-urls': peers,
      'initial-advertise-peer-urls': peers,
      'initial-cluster': `etcd1=${peers}`,
    };
    const words = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    this.#startOther('etcd', ['/usr/bin/etcd', ...words], {});
  }

  #startHaproxy(): void {
    const [NODE1 = '', NODE2 = '', NODE3 = ''] = this.#network.nodes.map(({ address }) => address);
    this.#startOther('haproxy', ['/usr/sbin/haproxy', '-db', '-f', join(FILES, 'haproxy.cfg')], {
      ...{ NODE1, NODE2, NODE3 },
      LISTEN: `${this.#network.hostAddress}:${this.#ports.haproxy}`,
      POSTGRES_PORT: String(this.#ports.postgres),
      PATRONI_PORT: String(this.#ports.patroni),
    });
  }

  #startOther(name: string, command: readonly string[], env: Readonly<Record<string, string>>): void {
    this.#others.push(startProgram({ command: asClusterUser(command), env, logFile: this.#logOf(name) }));
  }

  #openPool(user: string, database: string): pg.Pool {
    const pool = new pg.Pool({
      ...{ user, database, password: this.#password },
      ...{ host: this.#network.hostAddress, port: this.#ports.haproxy },
      ...{ connectionTimeoutMillis: CONNECT_MS, query_timeout: QUERY_MS, max: 1 },
    });
    pool.on('error', () => undefined);
    return pool;
  }

  #logOf(name: string): string {
    return join(this.#folder, 'logs', `${name}.log`);
  }
}
