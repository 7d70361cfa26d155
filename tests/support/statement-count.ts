import type pg from 'pg';

/** Counts the transactions that are begun on a pool from now on. */
export function countTransactions(pool: pg.Pool): () => number {
  let begun = 0;
  const seen = new WeakSet<pg.PoolClient>();
  pool.on('acquire', (client) => {
    if (seen.has(client)) return;
    seen.add(client);
    const query = client.query.bind(client) as (...parameters: unknown[]) => unknown;
    (client as { query: unknown }).query = (...parameters: unknown[]) => {
      if (parameters[0] === 'begin') begun += 1;
      return query(...parameters);
    };
  });
  return () => begun;
}

/**
 * Counts statements outside of transactions from now on: `started` by how often the pool is asked for a connection, `running` and `most`, which ran
 * at the same time, by those that it gives, of which as many as are needed have to be open. None of another test may run on this pool meanwhile.
 */
export function countStatements(pool: pg.Pool): {
  readonly started: () => number;
  readonly running: () => number;
  readonly most: () => number;
} {
  let [started, running, most] = [0, 0, 0];
  const connect = pool.connect.bind(pool) as (...parameters: unknown[]) => unknown;
  (pool as { connect: unknown }).connect = (...parameters: unknown[]) => {
    started += 1;
    return connect(...parameters);
  };
  pool.on('acquire', () => {
    running += 1;
    most = Math.max(most, running);
  });
  pool.on('release', () => {
    running -= 1;
  });
  return { started: () => started, running: () => running, most: () => most };
}
