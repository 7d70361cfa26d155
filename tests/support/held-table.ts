import pg from 'pg';
import { testServer } from './database.ts';
import type { TestDatabase } from './database.ts';

interface Shard {
  readonly name: string;
  readonly port: number;
}

/** Holds a table against everybody; resolves to what lets it go. On Citus each shard is held where it is. */
export async function holdTable(
  { pool, everywhere }: Pick<TestDatabase, 'pool' | 'everywhere'>,
  table: string,
): Promise<() => Promise<void>> {
  const held: pg.Client[] = [];
  const hold = async (connection: pg.ClientConfig, names: readonly string[]): Promise<void> => {
    const client = new pg.Client(connection);
    held.push(client);
    await client.connect();
    await client.query("select set_config('citus.enable_manual_changes_to_shards', 'on', false)");
    await client.query(`begin; lock table ${names.join(', ')}`);
  };
  const [first, ...others] = everywhere;
  if (first === undefined) throw new Error('The database is nowhere.');
  if (testServer().others.length === 0) await hold(first, [table]);
  for (const connection of others) {
    const { rows } = await pool.query<Shard>(
      'select shard_name(table_name, shardid) as name, nodeport as port from citus_shards where table_name = $1::regclass',
      [table],
    );
    const names = rows.filter(({ port }) => port === new pg.Client(connection).port).map(({ name }) => name);
    if (names.length > 0) await hold(connection, names);
  }
  return async () => {
    for (const client of held) await client.end();
  };
}
