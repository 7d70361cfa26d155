// etcd, three nodes of Patroni with PostgreSQL, and HAProxy before them, set up by the files of deploy/patroni.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type pg from 'pg';
import { until } from '../faults/environment.ts';
import { findFreePort } from '../faults/restarts.ts';
import { findPrimary, listStandbys, openPool, WHOLE_MS } from './members.ts';
import { openNetwork } from './network.ts';
import type { ClusterNetwork } from './network.ts';
import { ClusterNode } from './node.ts';
import type { NodePorts } from './node.ts';
import { PATRONI_FILES, Surroundings } from './surroundings.ts';

/** A server is made and copied twice. */
const START_MS = 120_000;

export class Cluster {
  readonly nodes: readonly ClusterNode[];
  readonly #network: ClusterNetwork;
  readonly #surroundings: Surroundings;
  readonly #ports: NodePorts;
  readonly #password = randomBytes(16).toString('hex');
  #admin: pg.Pool | undefined;

  private constructor(network: ClusterNetwork, surroundings: Surroundings, ports: NodePorts) {
    this.#network = network;
    this.#surroundings = surroundings;
    this.#ports = ports;
    this.nodes = network.nodes.map((site, index) => {
      const name = `node${index + 1}`;
      return new ClusterNode({
        ...site,
        ...{ name, ports, etcd: surroundings.etcd, password: this.#password },
        folder: join(surroundings.folder, name),
        logFile: surroundings.logOf(name),
        configuration: join(PATRONI_FILES, 'patroni.yml'),
      });
    });
  }

  /** An empty cluster that runs nothing yet; `start` follows, and `close` in any case. */
  static async make(): Promise<Cluster> {
    const ports = { postgres: await findFreePort(), patroni: await findFreePort() };
    const network = openNetwork();
    return new Cluster(network, await Surroundings.make(network.hostAddress), ports);
  }

  /** Resolves when a primary and two standbys run and the database of the service is made. */
  async start(): Promise<void> {
    this.#surroundings.startEtcd();
    for (const node of this.nodes) node.start();
    this.#surroundings.startHaproxy(
      this.#network.nodes.map(({ address }) => address),
      this.#ports,
    );
    this.#admin = this.#openPool('postgres', 'postgres');
    await this.waitUntilWhole(START_MS);
    await this.#admin.query(`create role partner login password '${this.#password}'`);
    await this.#admin.query('create database partner owner partner');
  }

  /** For the service, through HAProxy. */
  get databaseUrl(): string {
    const { host, port } = this.#surroundings.entrance;
    return `postgresql://partner:${this.#password}@${host}:${port}/partner`;
  }

  /** The service's database, through HAProxy. */
  openClient(): pg.Pool {
    return this.#openPool('partner', 'partner');
  }

  /** The node that answers as primary, in place of a former one. */
  findPrimary(former?: ClusterNode): Promise<ClusterNode> {
    return findPrimary(this.nodes, former);
  }

  /** The standby that has everything that was acknowledged. */
  async findSynchronousStandby(): Promise<ClusterNode> {
    const standby = (await listStandbys(this.nodes, this.#admin)).find(({ isCandidate }) => isCandidate);
    const node = this.nodes.find(({ name }) => name === standby?.name);
    if (node === undefined) throw new Error('No standby is synchronous.');
    return node;
  }

  /** A primary, and two standbys that stream from it, of which Patroni would make one primary. */
  async waitUntilWhole(patienceMs = WHOLE_MS): Promise<void> {
    await until(
      'a primary and two standbys stream, one synchronously',
      () => listStandbys(this.nodes, this.#admin),
      (standbys) =>
        standbys.filter(({ isStreaming }) => isStreaming).length === 2 &&
        standbys.some(({ isCandidate }) => isCandidate),
      patienceMs,
    );
  }

  /** The ends of the logs, for whoever asks why. */
  describe(): string {
    return this.#surroundings.describe(this.nodes);
  }

  async close(): Promise<void> {
    await this.#admin?.end().catch(() => undefined);
    await Promise.all(this.nodes.map((node) => node.stop()));
    await this.#surroundings.close();
    this.#network.close();
  }

  #openPool(user: string, database: string): pg.Pool {
    return openPool({ user, database, password: this.#password, ...this.#surroundings.entrance });
  }
}
