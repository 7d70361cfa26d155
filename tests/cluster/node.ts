// A node of the cluster: Patroni with the PostgreSQL that it runs.
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findServerPrograms } from './packages.ts';
import {
  asClusterUser,
  endProgram,
  giveToClusterUser,
  listProcessesIn,
  runLongCommand,
  signalAll,
  startProgram,
} from './processes.ts';

/** Its database is shut down first. */
const STOP_MS = 15_000;
const ANSWER_MS = 1_000;

export interface NodePorts {
  readonly postgres: number;
  readonly patroni: number;
}

export interface NodeOptions {
  readonly name: string;
  readonly address: string;
  readonly ports: NodePorts;
  readonly etcd: string;
  /** Of the superuser and of the replication. */
  readonly password: string;
  readonly folder: string;
  readonly logFile: string;
  /** The file of deploy/patroni, or a folder that has it: the same for all nodes. */
  readonly configuration: string;
  /** The server's; the newest of the machine unless they are named. */
  readonly programs?: string;
  /** The group of Citus that it belongs to. */
  readonly citusGroup?: number;
  /** The command as it runs where the node is. */
  readonly inPlace: (command: readonly string[]) => string[];
  /** The cable of the node; undefined where it has none. */
  readonly cable: { readonly pull: () => void; readonly plug: () => void } | undefined;
}

export class ClusterNode {
  readonly name: string;
  readonly address: string;
  readonly cable: NodeOptions['cable'];
  readonly #options: NodeOptions;
  readonly #data: string;
  #patroni: ChildProcess | undefined;

  constructor(options: NodeOptions) {
    this.name = options.name;
    this.address = options.address;
    this.cable = options.cable;
    this.#options = options;
    this.#data = join(options.folder, 'data');
    mkdirSync(options.folder);
    giveToClusterUser(options.folder);
    this.#makeDataFolder();
  }

  start(): void {
    const { inPlace, configuration, logFile } = this.#options;
    const command = inPlace(asClusterUser(['/usr/bin/patroni', configuration], 'TERM'));
    this.#patroni = startProgram({ command, env: this.#environment(), logFile });
  }

  /** kill -9 of the server with all of its processes; its Patroni lives. */
  killPostgres(): void {
    signalAll(listProcessesIn(this.#data), 'SIGKILL');
  }

  /** kill -9 of Patroni and the server, as when the machine is gone. */
  kill(): void {
    this.#patroni?.kill('SIGKILL');
    this.#patroni = undefined;
    this.killPostgres();
  }

  /** Stops Patroni and the server, which keep their connections; `thaw` lets them go on. */
  freeze(): void {
    signalAll(this.#listProcesses(), 'SIGSTOP');
  }

  thaw(): void {
    signalAll(this.#listProcesses(), 'SIGCONT');
  }

  /** Removes the database of a node that was killed. */
  wipe(): void {
    rmSync(this.#data, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    this.#makeDataFolder();
  }

  /** Asks Patroni to make another node primary in place of this one; resolves when it has answered. */
  async switchOverTo(other: ClusterNode): Promise<void> {
    const options = ['--leader', this.name, '--candidate', other.name, '--force'];
    const { configuration, citusGroup } = this.#options;
    const group = citusGroup === undefined ? [] : ['--group', String(citusGroup)];
    const command = [
      '/usr/bin/patronictl',
      '-c',
      configuration,
      'switchover',
      'partner',
      ...group,
      ...options,
    ];
    await runLongCommand(command, this.#environment());
  }

  isPrimary(): Promise<boolean> {
    return this.#ask('/primary').then(
      ({ ok }) => ok,
      () => false,
    );
  }

  /** What its Patroni knows of the cluster; rejects when it does not answer. */
  async listMembers(): Promise<readonly { readonly name: string; readonly role: string }[]> {
    const answer = await this.#ask('/cluster');
    return ((await answer.json()) as { members: { name: string; role: string }[] }).members;
  }

  async stop(): Promise<void> {
    this.thaw();
    if (this.#patroni !== undefined) await endProgram(this.#patroni, 'SIGTERM', STOP_MS);
    this.killPostgres();
  }

  #ask(path: string): Promise<Response> {
    const { address, ports } = this.#options;
    return fetch(`http://${address}:${ports.patroni}${path}`, { signal: AbortSignal.timeout(ANSWER_MS) });
  }

  #makeDataFolder(): void {
    mkdirSync(this.#data, { mode: 0o700 });
    giveToClusterUser(this.#data);
  }

  #listProcesses(): number[] {
    const patroni = this.#patroni?.pid;
    return [...(patroni === undefined ? [] : [patroni]), ...listProcessesIn(this.#data)];
  }

  /** What deploy/patroni/node.env names. */
  #environment(): Record<string, string> {
    const { address, ports, etcd, password, folder, programs, citusGroup } = this.#options;
    const [postgres, patroni] = [`${address}:${ports.postgres}`, `${address}:${ports.patroni}`];
    return {
      PATH: process.env['PATH'] ?? '',
      LANG: 'C.UTF-8',
      PATRONI_NAME: this.name,
      PATRONI_ETCD3_HOSTS: etcd,
      PATRONI_RESTAPI_LISTEN: patroni,
      PATRONI_RESTAPI_CONNECT_ADDRESS: patroni,
      PATRONI_POSTGRESQL_LISTEN: postgres,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: postgres,
      PATRONI_POSTGRESQL_DATA_DIR: this.#data,
      PATRONI_POSTGRESQL_BIN_DIR: programs ?? findServerPrograms(),
      PATRONI_POSTGRESQL_PGPASS: join(folder, 'pgpass'),
      PATRONI_SUPERUSER_USERNAME: 'postgres',
      PATRONI_SUPERUSER_PASSWORD: password,
      PATRONI_REPLICATION_USERNAME: 'replicator',
      PATRONI_REPLICATION_PASSWORD: password,
      ...(citusGroup !== undefined && { PATRONI_CITUS_GROUP: String(citusGroup) }),
    };
  }
}
