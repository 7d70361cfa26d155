// Hot statements: written like all others, compiled once, and prepared once on each connection.
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { Compilable, CompiledQuery, RawBuilder } from 'kysely';
import type { Database } from '../../../generated/database.ts';
import type { Db, Tx } from './database.ts';
import { isStalePlan } from './database-errors.ts';
import { NamedStatement } from './named-statement.ts';
import { TEXT_INSTANTS } from './value-types.ts';
import type { WithTextInstants } from './value-types.ts';

/** Runs a prepared statement with these values, inside of a transaction too; resolves to its rows. */
export type Prepared<Values, Row> = (db: Db | Tx, values: Values) => Promise<Row[]>;

type Written<Row> = Compilable<Row> | RawBuilder<Row>;

/** Stands for a value while a statement is compiled. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Writes statements and runs none. */
const writer = new Kysely<Database>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** `text`: as ISO 8601 text in UTC with milliseconds, for rows that are printed. */
type Instants = 'dates' | 'text';
type AsRead<Row, How extends Instants> = How extends 'text' ? WithTextInstants<Row> : Row;

/**
 * A statement that is compiled when it first runs. `write` gets a stand-in for each value: it may pass them on, nothing else.
 * Columns are named, never `*`: plans last as long as a connection. No value inside of a `limit` that another one surrounds:
 * the planner would take it for a tenth of the table, and plan anew each time.
 */
export function prepare<Values extends object, Row, How extends Instants = 'dates'>(
  write: (db: Db, values: Values) => Written<Row>,
  instants?: How,
): Prepared<Values, AsRead<Row, How>> {
  let statement: Prepared<Values, AsRead<Row, How>> | undefined;
  return (db, values) => (statement ??= compile(write, instants))(db, values);
}

/** The same for a statement that has a few shapes: each is compiled and prepared by itself. */
export function prepareShapes<
  Shape extends object,
  Values extends object,
  Row,
  How extends Instants = 'dates',
>(
  write: (db: Db, shape: Shape, values: Values) => Written<Row>,
  instants?: How,
): (shape: Shape) => Prepared<Values, AsRead<Row, How>> {
  const statements = new Map<string, Prepared<Values, AsRead<Row, How>>>();
  return (shape) => {
    const key = JSON.stringify(shape);
    let statement = statements.get(key);
    if (statement === undefined) {
      statement = compile((db, values) => write(db, shape, values), instants);
      statements.set(key, statement);
    }
    return statement;
  };
}

function compile<Values extends object, Row, How extends Instants>(
  write: (db: Db, values: Values) => Written<Row>,
  instants: How | undefined,
): Prepared<Values, AsRead<Row, How>> {
  const placeholders = new Proxy({}, { get: (_target, name) => new Placeholder(String(name)) });
  const compiled = write(writer, placeholders as Values).compile(writer) as CompiledQuery<AsRead<Row, How>>;
  const statement = new NamedStatement(compiled.sql, instants === 'text' ? TEXT_INSTANTS : undefined);
  return (db, values) => {
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter,
    );
    return run(db, { ...compiled, parameters: statement.bind(parameters) }, statement);
  };
}

/** A plan that a change of the schema has made useless is made anew. In a transaction, which is lost then, the error stays. */
async function run<Row>(db: Db | Tx, query: CompiledQuery<Row>, statement: NamedStatement): Promise<Row[]> {
  const { name } = statement;
  try {
    return (await db.executeQuery(query)).rows;
  } catch (error) {
    if (!isStalePlan(error)) throw error;
    statement.rename(name);
    if (db.isTransaction) throw error;
    return (await db.executeQuery(query)).rows;
  }
}
