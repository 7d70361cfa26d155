import pg from 'pg';

/**
 * The rows of a statement on each of these servers of a database, in turn. Triggers run where the rows are, on Citus on its workers: what
 * a test's own triggers count with has to stand there.
 */
export async function queryEverywhere<Row extends pg.QueryResultRow>(
  servers: readonly pg.ClientConfig[],
  statement: string,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const server of servers) {
    const client = new pg.Client(server);
    await client.connect();
    try {
      rows.push(...(await client.query<Row>(statement)).rows);
    } finally {
      await client.end();
    }
  }
  return rows;
}
