import { sql } from 'kysely';

/** `unnest($1::type[], …) as rows (name, …)`: one parameter a column, whatever the number of rows. */
export function rowsOf<Row>(
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
