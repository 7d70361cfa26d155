import { sql } from 'kysely';

/**
 * The SQL `unnest($1::type[], …) as rows (name, …)`: one array parameter for each column, whatever the number of rows.
 * `columns` names the PostgreSQL type of each column to pass.
 */
export function unnestRows<Row>(
  rows: readonly Row[],
  columns: Readonly<Partial<Record<keyof Row & string, string>>>,
) {
  const names = Object.keys(columns) as (keyof Row & string)[];
  const arrays = names.map((name) => {
    const type = columns[name] ?? 'text';
    const values = rows.map((row) => (type === 'jsonb' ? JSON.stringify(row[name]) : row[name]));
    return sql`${values}::${sql.raw(type)}[]`;
  });
  return sql`unnest(${sql.join(arrays)}) as rows (${sql.join(names.map((name) => sql.ref(name)))})`;
}
