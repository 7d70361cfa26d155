// The PostgreSQL server that faults happen to: the embedded one, or the nodes of a cluster.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedDatabase } from '../../src/postgres/start.ts';
import { applyMigrations } from '../../src/queries/connection/migrations.ts';

export interface FaultServer {
  /** What is killed, as the table calls it. */
  readonly name: string;
  /** A migrated database. */
  readonly url: string;
  /** kill -9; it comes back. */
  kill(orgId: string): Promise<void>;
  /** The same database where the rows of an organization are, past all that distributes them. */
  findUrlOf(orgId: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startEmbeddedServer(): Promise<FaultServer> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-faults-server-'));
  const embedded = await startEmbeddedDatabase({
    dataDir: join(folder, 'data'),
    log: { info: () => {}, warn: () => {}, error: () => {} },
    onFatal: (error) => {
      throw error;
    },
  });
  const { host, port, user, database } = embedded.connection;
  await applyMigrations(embedded.connection, join(import.meta.dirname, '../../migrations'));
  const url = `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
  return {
    name: 'PostgreSQL',
    url,
    kill: () => {
      const file = join(folder, 'data', 'postgres', 'postmaster.pid');
      process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGKILL');
      return Promise.resolve();
    },
    findUrlOf: () => Promise.resolve(url),
    stop: async () => {
      await embedded.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
