import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { inStatement, inTransaction } from '../../../src/queries/connection/in-transaction.ts';
import type { Tx } from '../../../src/queries/connection/database.ts';
import { testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';

let at: TestDatabase;
beforeAll(async () => {
  at = await testDatabase();
  await sql`create table written (try integer)`.execute(at.db);
});
afterAll(() => at.close());
beforeEach(async () => {
  await sql`delete from written`.execute(at.db);
});

/** Work that fails by an SQLSTATE in its first tries, each of which has written its number before. */
function failing(
  sqlState: string,
  failures: number,
): { work: (tx: Tx) => Promise<number>; tries: () => number } {
  let tries = 0;
  return {
    tries: () => tries,
    work: async (tx) => {
      tries += 1;
      await sql`insert into written values (${tries})`.execute(tx);
      const raise = `do $$ begin raise exception using errcode = '${sqlState}'; end $$`;
      if (tries <= failures) await sql.raw(raise).execute(tx);
      return tries;
    },
  };
}

async function listWritten(): Promise<number[]> {
  const { rows } = await sql<{ try: number }>`select try from written`.execute(at.db);
  return rows.map((row) => row.try);
}

test.each(['40001', '40P01'])(
  'a transaction that fails by %s is repeated, and the first try leaves nothing',
  async (state) => {
    const { work } = failing(state, 1);
    expect(await inTransaction(at.db, work)).toBe(2);
    expect(await listWritten()).toEqual([2]);
  },
);

test('a statement alone is repeated too, as part of a transaction it is not', async () => {
  await sql`create sequence tries`.execute(at.db);
  await sql`create function fail_first() returns bigint language plpgsql as $$
    declare try bigint := nextval('tries');
    begin
      if try % 2 = 1 then raise exception using errcode = '40P01'; end if;
      return try;
    end $$`.execute(at.db);
  const fail = sql<{ try: number }>`select fail_first() as try`;
  expect((await inStatement(at.db, (db) => fail.execute(db))).rows).toEqual([{ try: 2 }]);
  const part = at.db.transaction().execute((tx) => inStatement(tx, (db) => fail.execute(db)));
  await expect(part).rejects.toMatchObject({ code: '40P01' });
});

test("it is repeated once: the second failure is the caller's to hear of", async () => {
  const { work, tries } = failing('40001', 2);
  await expect(inTransaction(at.db, work)).rejects.toMatchObject({ code: '40001' });
  expect([tries(), await listWritten()]).toEqual([2, []]);
});

test('what fails otherwise is not repeated, nor what is part of a transaction', async () => {
  const locked = failing('55P03', 1);
  await expect(inTransaction(at.db, locked.work)).rejects.toMatchObject({ code: '55P03' });
  const part = failing('40001', 1);
  const outer = at.db.transaction().execute((tx) => inTransaction(tx, part.work));
  await expect(outer).rejects.toMatchObject({ code: '40001' });
  expect([locked.tries(), part.tries()]).toEqual([1, 1]);
});
