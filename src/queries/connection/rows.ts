// Many rows as parameters of one statement: an array for each column, whatever the number of rows.
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';

/** The values of rows by column. */
export type Columns<Row> = { readonly [Name in keyof Row]: readonly Row[Name][] };

/** The PostgreSQL type of each column to pass. */
type ColumnTypes<Row> = Readonly<Partial<Record<keyof Row & string, string>>>;

/** The SQL `unnest($1::type[], …) as rows (name, …)`. */
export function unnestRows<Row>(rows: readonly Row[], types: ColumnTypes<Row>): RawBuilder<unknown> {
  const columns = Object.entries(types).map(([name, type]) => {
    const values = rows.map((row) => row[name as keyof Row]);
    return [name, type === 'jsonb' ? values.map((value) => JSON.stringify(value)) : values];
  });
  return unnestColumns(Object.fromEntries(columns) as Columns<Row>, types);
}

/** The same for a prepared statement, whose values `toColumns` makes. */
export function unnestColumns<Row>(columns: Columns<Row>, types: ColumnTypes<Row>): RawBuilder<unknown> {
  const names = Object.keys(types) as (keyof Row & string)[];
  const arrays = names.map((name) => sql`${columns[name]}::${sql.raw(types[name] ?? 'text')}[]`);
  return sql`unnest(${sql.join(arrays)}) as rows (${sql.join(names.map((name) => sql.ref(name)))})`;
}

/** The values of these columns, of none of the type jsonb. */
export function toColumns<Row extends object>(rows: readonly Row[], types: ColumnTypes<Row>): Columns<Row> {
  const columns = Object.keys(types).map((name) => [name, rows.map((row) => row[name as keyof Row])]);
  return Object.fromEntries(columns) as Columns<Row>;
}
