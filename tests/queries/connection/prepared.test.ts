import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isDatabaseUnavailable, openDatabase } from '../../../src/queries/connection/database.ts';
import type { OpenDatabase } from '../../../src/queries/connection/database.ts';
import { isStalePlan } from '../../../src/queries/connection/database-errors.ts';
import { prepare, prepareShapes } from '../../../src/queries/connection/prepared.ts';
import { testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';

let at: TestDatabase;
/** One connection: what is prepared on it is seen by the next statement. */
let single: OpenDatabase;
beforeAll(async () => {
  at = await testDatabase();
  single = openDatabase({ connection: at.connection, max: 1 });
});
afterAll(async () => {
  await single.close();
  await at.close();
});

/** The prepared statements of the one connection whose text holds `part`. */
async function preparedTexts(part: string): Promise<string[]> {
  const { rows } = await sql<{
    statement: string;
  }>`select statement from pg_prepared_statements where strpos(statement, ${part}) > 0`.execute(single.db);
  return rows.map(({ statement }) => statement).filter((text) => !text.includes('pg_prepared_statements'));
}

test('a statement is written once, prepared once on a connection, and run with the values of each call', async () => {
  let written = 0;
  const add = prepare((_db, { a, b }: { readonly a: number; readonly b: number }) => {
    written += 1;
    return sql<{ sum: number }>`select ${a}::int + ${b}::int + ${a}::int as sum, 'once' as mark`;
  });
  expect(await add(single.db, { a: 1, b: 2 })).toEqual([{ sum: 4, mark: 'once' }]);
  expect(await add(single.db, { a: 10, b: 20 })).toEqual([{ sum: 40, mark: 'once' }]);
  expect(written).toBe(1);
  expect(await preparedTexts("'once' as mark")).toHaveLength(1);
});

test('the shapes of a statement are statements of their own', async () => {
  const select = prepareShapes(
    (db, { newest }: { readonly newest: boolean }, { kind }: { kind: 'partner' }) => {
      const query = db.selectFrom('organizations').select(['id', 'created_at']).where('kind', '=', kind);
      return newest ? query.orderBy('created_at', 'desc').limit(1) : query;
    },
  );
  for (const [number, newest] of [true, false, true, false].entries()) {
    await select({ newest })(single.db, { kind: 'partner' });
    expect(await preparedTexts('select "id", "created_at" from "organizations"')).toHaveLength(
      Math.min(number + 1, 2),
    );
  }
});

test('in a transaction a prepared statement sees what the transaction wrote, and nothing after it is undone', async () => {
  const count = prepare((db, { name }: { readonly name: string }) =>
    db.selectFrom('organizations').select('id').where('name', '=', name),
  );
  const insert = prepare((db, values: { readonly id: string; readonly name: string; readonly now: Date }) =>
    db.insertInto('organizations').values({
      id: values.id,
      name: values.name,
      kind: 'partner',
      parent_org_id: null,
      created_at: values.now,
    }),
  );
  const row = { id: '0198c0de-0000-4000-8000-000000000001', name: 'undone', now: new Date(0) };
  const undone = single.db.transaction().execute(async (tx) => {
    await insert(tx, row);
    expect(await count(tx, { name: 'undone' })).toEqual([{ id: row.id }]);
    throw new Error('undo');
  });
  await expect(undone).rejects.toThrow('undo');
  expect(await count(single.db, { name: 'undone' })).toEqual([]);
});

test('a changed type of a column makes the plan anew; a transaction fails so that its caller repeats it', async () => {
  await sql`create table changing (value integer not null)`.execute(single.db);
  await sql`insert into changing values (7)`.execute(single.db);
  const read = prepare(() => sql<{ value: unknown }>`select value from changing`);
  expect(await read(single.db, {})).toEqual([{ value: 7 }]);

  await sql`alter table changing alter column value type text`.execute(single.db);
  expect(await read(single.db, {})).toEqual([{ value: '7' }]);

  await sql`alter table changing alter column value type integer using value::integer`.execute(single.db);
  const inTransaction = single.db.transaction().execute((tx) => read(tx, {}));
  const error: unknown = await inTransaction.catch((caught: unknown) => caught);
  expect(isStalePlan(error) && isDatabaseUnavailable(error)).toBe(true);
  expect(await single.db.transaction().execute((tx) => read(tx, {}))).toEqual([{ value: 7 }]);
});

test('an added column changes nothing: columns are named', async () => {
  await sql`create table growing (value integer not null)`.execute(single.db);
  await sql`insert into growing values (7)`.execute(single.db);
  const read = prepare(() => sql<{ value: number }>`select value from growing`);
  expect(await read(single.db, {})).toEqual([{ value: 7 }]);
  await sql`alter table growing add column more text`.execute(single.db);
  expect(await read(single.db, {})).toEqual([{ value: 7 }]);
  expect(await preparedTexts('from growing')).toHaveLength(1);
});

test('an error of a prepared statement is the same as without, and the next call works', async () => {
  const divide = prepare(
    (_db, { by }: { readonly by: number }) => sql<{ quotient: number }>`select 6 / ${by}::int as quotient`,
  );
  await expect(divide(single.db, { by: 0 })).rejects.toMatchObject({ code: '22012' });
  expect(await divide(single.db, { by: 3 })).toEqual([{ quotient: 2 }]);
});

test('a plan that was made while a table was small is kept for its time and no longer', async () => {
  const find = prepare(
    (_db, { id }: { readonly id: number }) => sql<{ id: number }>`select id from filling where id = ${id}`,
  );
  /** How the statement reads a table that was filled after its plan was made. */
  const readPlan = async (plansMs: number): Promise<string> => {
    const { db, close } = openDatabase({ connection: at.connection, max: 1, plansMs });
    await sql`create table filling (id integer primary key)`.execute(db);
    await sql`insert into filling values (0)`.execute(db);
    await sql`analyze filling`.execute(db);
    // PostgreSQL plans with the values of each call at first.
    for (let run = 0; run < 8; run += 1) await find(db, { id: 0 });
    await sql`insert into filling select generate_series(1, 20000)`.execute(db);
    const { rows } = await sql<{
      name: string;
    }>`select name from pg_prepared_statements where strpos(name, 'partner_') = 1`.execute(db);
    const plan = sql<{ 'QUERY PLAN': string }>`explain execute ${sql.ref(rows[0]?.name ?? '')} (0)`;
    const [line] = (await plan.execute(db)).rows;
    await sql`drop table filling`.execute(db);
    await close();
    return line?.['QUERY PLAN'] ?? '';
  };
  expect(await readPlan(3_600_000)).toContain('Seq Scan');
  expect(await readPlan(0)).toContain('Index Only Scan');
});
