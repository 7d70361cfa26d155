// A coordinator and two workers of Citus on loopback, each a PostgreSQL server of its own.
import type { ChildProcess } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import {
  asClusterUser,
  endProgram,
  giveToClusterUser,
  listProcessesIn,
  runLongCommand,
  signalAll,
  startProgram,
  tailOf,
} from '../cluster/processes.ts';
import { until } from '../faults/environment.ts';
import { findFreePort } from '../faults/restarts.ts';

const START_MS = 30_000;
const STOP_MS = 10_000;
const CONNECT_MS = 1_000;
const HOST = '127.0.0.1';
const USER = 'postgres';

/** Of every server. Databases of tests have their Citus daemons each, and shards move by logical replication. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: HOST,
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  max_connections: '400',
  max_prepared_transactions: '400',
  max_worker_processes: '200',
  shared_buffers: '64MB',
  autovacuum_max_workers: '1',
  // One connection to each node is enough for what concerns all shards, and a name that every node has can be written behind it.
  'citus.multi_shard_modify_mode': 'sequential',
  // Tests break statements by triggers of their own.
  'citus.enable_unsafe_triggers': 'on',
  // Read by fan-outs.ts.
  'citus.multi_task_query_log_level': 'log',
  log_line_prefix: '%a [%p] ',
  // The words of an error are read: the name of a constraint stands in them.
  lc_messages: 'C',
};

/** Of workers: the limit of the service's own connections does not reach them. */
const WORKER_SETTINGS: Readonly<Record<string, string>> = { lock_timeout: '2s' };

export class CitusServer {
  readonly port: number;
  readonly logFile: string;
  readonly #data: string;
  readonly #programs: string;
  #process: ChildProcess | undefined;

  private constructor(programs: string, folder: string, name: string, port: number) {
    this.#programs = programs;
    this.#data = join(folder, name);
    this.port = port;
    this.logFile = join(folder, `${name}.log`);
  }

  static async make(
    programs: string,
    folder: string,
    name: string,
    settings: Readonly<Record<string, string>>,
  ): Promise<CitusServer> {
    const server = new CitusServer(programs, folder, name, await findFreePort());
    mkdirSync(server.#data, { mode: 0o700 });
    giveToClusterUser(server.#data);
    await runLongCommand(
      asClusterUser([
        join(programs, 'initdb'),
        '-D',
        server.#data,
        '-U',
        USER,
        '-A',
        'trust',
        '-E',
        'UTF8',
        '--locale=C.UTF-8',
        '-N',
      ]),
      { PATH: process.env['PATH'] ?? '' },
    );
    const lines = Object.entries({
      ...SETTINGS,
      ...settings,
      port: String(server.port),
      unix_socket_directories: folder,
    }).map(([setting, value]) => `${setting} = '${value}'\n`);
    appendFileSync(join(server.#data, 'postgresql.conf'), lines.join(''));
    return server;
  }

  start(): void {
    this.#process = startProgram({
      command: asClusterUser([join(this.#programs, 'postgres'), '-D', this.#data]),
      env: { PATH: process.env['PATH'] ?? '' },
      logFile: this.logFile,
    });
  }

  connectionTo(database: string): pg.ClientConfig {
    return { host: HOST, port: this.port, user: USER, database, connectionTimeoutMillis: CONNECT_MS };
  }

  urlOf(database: string): string {
    return `postgresql://${USER}@${HOST}:${this.port}/${database}`;
  }

  async run(database: string, ...statements: readonly string[]): Promise<void> {
    const client = new pg.Client(this.connectionTo(database));
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  }

  async waitUntilReady(): Promise<void> {
    await until(
      'the server takes connections',
      () =>
        this.run('postgres', 'select 1').then(
          () => true,
          () => false,
        ),
      (isReady) => isReady,
      START_MS,
    );
    await this.#permitSplits();
  }

  /** Newer point releases of PostgreSQL name the libraries that may decode what is replicated; older ones do not know the setting. */
  async #permitSplits(): Promise<void> {
    const client = new pg.Client(this.connectionTo('postgres'));
    await client.connect();
    try {
      const { rowCount } = await client.query(
        `select from pg_settings where name = 'output_plugin_libraries'`,
      );
      if (rowCount === 0) return;
      await client.query(`alter system set output_plugin_libraries = 'pgoutput', 'citus'`);
      await client.query('select pg_reload_conf()');
    } finally {
      await client.end();
    }
  }

  /** kill -9 of the server with all of its processes. */
  kill(): void {
    signalAll(listProcessesIn(this.#data), 'SIGKILL');
  }

  /** The same, and starts it as soon as nothing of it is left. */
  async killAndStart(): Promise<void> {
    this.kill();
    await until(
      'no process of the server is left',
      () => listProcessesIn(this.#data).length,
      (left) => left === 0,
      STOP_MS,
    );
    this.start();
  }

  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    if (this.#process !== undefined) await endProgram(this.#process, signal, STOP_MS);
    this.#process = undefined;
  }
}

/** Three servers that run, with a folder that goes with them. */
export class CitusServers {
  readonly coordinator: CitusServer;
  workers: readonly CitusServer[];
  readonly #folder: string;
  readonly #make: (name: string) => Promise<CitusServer>;

  private constructor(
    folder: string,
    make: (name: string) => Promise<CitusServer>,
    coordinator: CitusServer,
    workers: readonly CitusServer[],
  ) {
    this.#folder = folder;
    this.#make = make;
    this.coordinator = coordinator;
    this.workers = workers;
  }

  static async start(
    programs: string,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<CitusServers> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'partner-citus-')));
    chmodSync(folder, 0o755);
    giveToClusterUser(folder);
    const make = (name: string): Promise<CitusServer> =>
      CitusServer.make(programs, folder, name, { ...WORKER_SETTINGS, ...settings });
    const coordinator = await CitusServer.make(programs, folder, 'coordinator', settings);
    const servers = new CitusServers(folder, make, coordinator, [
      await make('worker1'),
      await make('worker2'),
    ]);
    for (const server of servers.all) server.start();
    await Promise.all(servers.all.map((server) => server.waitUntilReady()));
    return servers;
  }

  get all(): readonly CitusServer[] {
    return [this.coordinator, ...this.workers];
  }

  /** One more worker with an empty database, which no other server knows yet. */
  async addWorker(database: string): Promise<CitusServer> {
    const worker = await this.#make(`worker${this.workers.length + 1}`);
    this.workers = [...this.workers, worker];
    worker.start();
    await worker.waitUntilReady();
    await worker.run('postgres', `create database ${database}`);
    await worker.run(database, 'create extension citus');
    return worker;
  }

  /** Makes a database on all servers that knows them. */
  async makeDatabase(name: string): Promise<void> {
    for (const server of this.all) {
      await server.run('postgres', `create database ${name}`);
      await server.run(name, 'create extension citus');
    }
    await this.coordinator.run(
      name,
      `select citus_set_coordinator_host('${HOST}', ${this.coordinator.port})`,
      ...this.workers.map(({ port }) => `select citus_add_node('${HOST}', ${port})`),
    );
  }

  describe(): string {
    return this.all.map(({ logFile }) => `--- ${logFile}\n${tailOf(logFile)}`).join('\n');
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((server) => server.stop()));
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
