// A coordinator and two workers of Citus on loopback, each a PostgreSQL server of its own.
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { giveToClusterUser, tailOf } from '../cluster/processes.ts';
import { CitusServer, HOST } from './server.ts';

/** Of workers: the limit of the service's own connections does not reach them. */
const WORKER_SETTINGS: Readonly<Record<string, string>> = { lock_timeout: '2s' };

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
