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
 * Counts statements outside of transactions from now on, by the connections that the pool is asked for: those of statements that
 * have had another one meanwhile are counted when they come. `most` ran at the same time; none of another test may run on this pool meanwhile.
 */
export function countStatements(pool: pg.Pool): {
  readonly started: () => number;
  readonly running: () => number;
  readonly most: () => number;
} {
  let [started, running, most] = [0, 0, 0];
  pool.on('acquire', () => {
    started += 1;
    running += 1;
    most = Math.max(most, running);
  });
  pool.on('release', () => {
    running -= 1;
  });
  return { started: () => started, running: () => running, most: () => most };
}
