// A PostgreSQL server with Citus on loopback: it is made, killed, backed up and restored.
import type { ChildProcess } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
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
} from '../cluster/processes.ts';
import { until } from '../faults/environment.ts';
import { findFreePort } from '../faults/restarts.ts';

const START_MS = 30_000;
const STOP_MS = 10_000;
const BACKUP_MS = 180_000;
const MOST_TRIES = 20;
const CONNECT_MS = 1_000;
export const HOST = '127.0.0.1';
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

/** Each server keeps its log of writes in a folder beside its data. */
export const ARCHIVE_SETTINGS: Readonly<Record<string, string>> = {
  archive_mode: 'on',
  archive_command: 'cp "%p" "$PWD.wal/%f"',
};

/**
 * Of a restored server. Until all nodes know the new addresses it must not reach the servers that it was copied from: its daemon would
 * decide their prepared transactions.
 */
const RESTORED_SETTINGS: Readonly<Record<string, string>> = {
  archive_mode: 'off',
  recovery_target_action: 'promote',
  'citus.recover_2pc_interval': '-1',
  'citus.distributed_deadlock_detection_factor': '-1',
};

export class CitusServer {
  readonly port: number;
  readonly logFile: string;
  readonly #folder: string;
  readonly #data: string;
  readonly #programs: string;
  #process: ChildProcess | undefined;

  private constructor(programs: string, folder: string, name: string, port: number) {
    this.#programs = programs;
    this.#folder = folder;
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
    for (const each of [server.#data, server.#archive]) {
      mkdirSync(each, { mode: 0o700 });
      giveToClusterUser(each);
    }
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
    server.#set({
      ...SETTINGS,
      ...settings,
      port: String(server.port),
      unix_socket_directories: folder,
    });
    return server;
  }

  get #archive(): string {
    return `${this.#data}.wal`;
  }

  #set(settings: Readonly<Record<string, string>>): void {
    const lines = Object.entries(settings).map(([setting, value]) => `${setting} = '${value}'\n`);
    appendFileSync(join(this.#data, 'postgresql.conf'), lines.join(''));
  }

  /** A base backup of it as a server of its own, which is not started. */
  async backUp(name: string): Promise<CitusServer> {
    const copy = new CitusServer(this.#programs, this.#folder, name, await findFreePort());
    const [program, from] = [join(this.#programs, 'pg_basebackup'), this.urlOf('postgres')];
    const command = asClusterUser([program, '-d', from, '-D', copy.#data, '-X', 'none', '-c', 'fast']);
    for (let tries = 1; ; tries += 1) {
      try {
        await runLongCommand(command, { PATH: process.env['PATH'] ?? '' }, BACKUP_MS);
        console.error(`${name}: backed up, at attempt ${tries}`);
        return copy;
      } catch (error) {
        // It has met a folder of an intermediate result, which has gone by the time that it is read.
        if (tries === MOST_TRIES || !String(error).includes('pgsql_job_cache')) throw error;
      }
    }
  }

  /** Starts this backup of a server, which reads the server's archive up to the restore point. */
  recover(from: CitusServer, restorePoint: string): void {
    this.#set({
      ...RESTORED_SETTINGS,
      port: String(this.port),
      restore_command: `cp "${from.#archive}/%f" "%p"`,
      recovery_target_name: restorePoint,
    });
    writeFileSync(join(this.#data, 'recovery.signal'), '');
    giveToClusterUser(this.#data);
    this.start();
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
    await this.#connected(database, async (client) => {
      for (const statement of statements) await client.query(statement);
    });
  }

  ask<Row extends pg.QueryResultRow>(
    database: string,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    return this.#connected(database, async (client) => (await client.query<Row>(text, [...values])).rows);
  }

  async #connected<Result>(database: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
    const client = new pg.Client(this.connectionTo(database));
    await client.connect();
    try {
      return await work(client);
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
    const known = await this.ask(
      'postgres',
      `select from pg_settings where name = 'output_plugin_libraries'`,
    );
    if (known.length === 0) return;
    await this.run(
      'postgres',
      `alter system set output_plugin_libraries = 'pgoutput', 'citus'`,
      'select pg_reload_conf()',
    );
  }

  /** kill -9 of the server with all of its processes. */
  kill(): void {
    signalAll(listProcessesIn(this.#data), 'SIGKILL');
  }

  /** The same; resolves when nothing of it is left. */
  async killForGood(): Promise<void> {
    this.kill();
    await until(
      'no process of the server is left',
      () => listProcessesIn(this.#data).length,
      (left) => left === 0,
      STOP_MS,
    );
    // A process whose end nobody has taken note of has its number still: the next server would take it for one that runs.
    await this.stop('SIGKILL');
  }

  async killAndStart(): Promise<void> {
    await this.killForGood();
    this.start();
  }

  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    if (this.#process !== undefined) await endProgram(this.#process, signal, STOP_MS);
    this.#process = undefined;
  }
}
