// The database of the service on a coordinator and two workers, and a third that may join them.
import pg from 'pg';
import { until } from '../faults/environment.ts';
import { HOST } from './server.ts';
import type { CitusServer } from './server.ts';
import type { CitusServers } from './servers.ts';
import { distribute } from './template.ts';

export const DATABASE = 'partner';
const SHARDS = 8;
const WHOLE_MS = 60_000;

/** A shard of users with the node that it is on; the shards of all other tables go with it. */
export interface ShardPlace {
  readonly shardId: number;
  readonly port: number;
}

export class CitusCluster {
  readonly servers: CitusServers;
  #admin: pg.Pool | undefined;

  constructor(servers: CitusServers) {
    this.servers = servers;
  }

  async start(): Promise<void> {
    await this.servers.makeDatabase(DATABASE);
    await distribute(this.servers, DATABASE, SHARDS);
    this.#admin = this.openClient();
  }

  get databaseUrl(): string {
    return this.urlOn(this.servers.coordinator);
  }

  urlOn(server: CitusServer): string {
    return server.urlOf(DATABASE);
  }

  /** The server where the rows of an organization are. */
  async findServer(orgId: string): Promise<CitusServer> {
    const [place] = await this.ask<{ port: number }>(
      `select nodeport as port from citus_shards
       where table_name = 'users'::regclass and shardid = get_shard_id_for_distribution_column('users', $1::uuid)`,
      [orgId],
    );
    const server = this.servers.all.find(({ port }) => port === place?.port);
    if (server === undefined) throw new Error('The organization is nowhere.');
    return server;
  }

  openClient(): pg.Pool {
    const pool = new pg.Pool({ ...this.servers.coordinator.connectionTo(DATABASE), max: 2 });
    pool.on('error', () => undefined);
    return pool;
  }

  async ask<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    if (this.#admin === undefined) throw new Error('The database is not made yet.');
    return (await this.#admin.query<Row>(text, [...values])).rows;
  }

  /** Where the shards are, in their order. */
  listPlaces(): Promise<ShardPlace[]> {
    return this.ask<ShardPlace>(
      `select shardid::integer as "shardId", nodeport as port from citus_shards where table_name = 'users'::regclass order by shardid`,
    );
  }

  /** Moves a shard of all tables to another worker, while both go on. */
  async move({ shardId, port }: ShardPlace, to: CitusServer): Promise<void> {
    await this.ask('select citus_move_shard_placement($1, $2, $3, $2, $4, $5)', [
      shardId,
      HOST,
      port,
      to.port,
      'force_logical',
    ]);
  }

  /** Starts a third worker, and spreads the shards over all. */
  async addWorker(): Promise<void> {
    const worker = await this.servers.addWorker(DATABASE);
    await this.ask(`select citus_add_node('${HOST}', $1)`, [worker.port]);
    await this.ask(`select rebalance_table_shards(shard_transfer_mode := 'force_logical')`);
  }

  async waitUntilWhole(): Promise<void> {
    await until(
      'every node answers',
      () =>
        this.ask<{ success: boolean }>(`select success from run_command_on_all_nodes('select 1')`).catch(
          () => [],
        ),
      (answers) => answers.length > 0 && answers.every(({ success }) => success),
      WHOLE_MS,
    );
  }

  describe(): string {
    return this.servers.describe();
  }

  async close(): Promise<void> {
    await this.#admin?.end();
    await this.servers.close();
  }
}
