// A program with an embedded database, to be started and killed by tests. Its one argument is JSON: ProgramOptions.
// It prints `ready {joined, connection}`, then with `write` a line `ack N` for each committed row; SIGTERM stops it, SIGINT after a last statement.
import pg from 'pg';
import { joinOrStartEmbeddedDatabase, startEmbeddedDatabase } from '../../src/postgres/start.ts';
import type { HostCapabilities } from '../../src/postgres/host.ts';

export interface ProgramOptions {
  dataDir: string;
  kind: 'serve' | 'command';
  write?: boolean;
  host?: HostCapabilities;
  binaries?: string;
  waitMs?: number;
}

const { kind, write = false, ...options } = JSON.parse(process.argv[2] ?? '{}') as ProgramOptions;
const log = { info: () => undefined, warn: console.error, error: console.error };

function fail(error: unknown): never {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

const start = kind === 'serve' ? startEmbeddedDatabase : joinOrStartEmbeddedDatabase;
const embedded = await start({ ...options, log, onFatal: fail }).catch(fail);
process.on('SIGINT', () => void drain().catch(fail));
process.on('SIGTERM', () => void embedded.stop().then(() => process.exit(0), fail));
console.log(
  `ready ${JSON.stringify({ joined: 'joined' in embedded && embedded.joined, connection: embedded.connection })}`,
);
/** What is under way when Ctrl-C comes still needs its database. */
async function drain(): Promise<void> {
  const client = new pg.Client(embedded.connection);
  await client.connect();
  await client.query('select pg_sleep(0.3)');
  console.log('ack 0');
  await client.end();
  await embedded.stop();
  process.exit(0);
}

// A joined database needs no child of ours, and nothing else would keep the program alive.
setInterval(() => undefined, 60_000);

if (write) {
  const setUp = new pg.Client(embedded.connection);
  await setUp.connect();
  await setUp.query('create table if not exists written (n int primary key)');
  await setUp.end();
  let next = 0;
  // Four writers: commits are grouped, and several are under way when the program is killed.
  await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const client = new pg.Client(embedded.connection);
      await client.connect();
      for (;;) {
        const n = next++;
        await client.query('insert into written values ($1)', [n]);
        console.log(`ack ${n}`);
      }
    }),
  );
}
