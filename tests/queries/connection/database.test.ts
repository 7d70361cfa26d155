import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from 'kysely';
import { classifyDatabaseError } from '../../../src/queries/connection/database-errors.ts';
import type { DatabaseErrorClass } from '../../../src/queries/connection/database-errors.ts';
import {
  isDatabaseUnavailable,
  openDatabase,
  violatedConstraint,
} from '../../../src/queries/connection/database.ts';
import { testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';

let at: TestDatabase;
beforeAll(async () => {
  at = await testDatabase();
});
afterAll(() => at.close());

const failureOf = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

test('parts and address lead to the same database, each test file to its own', async () => {
  const byAddress = openDatabase({ connection: at.url });
  const name = sql<{ name: string }>`select current_database() as name`;
  expect((await name.execute(byAddress.db)).rows).toEqual((await name.execute(at.db)).rows);
  await byAddress.close();
  const other = await testDatabase();
  expect((await name.execute(other.db)).rows).not.toEqual((await name.execute(at.db)).rows);
  await other.close();
});

describe('values', () => {
  test('numbers are numbers, instants are dates, zoneless times are text', async () => {
    const { rows } =
      await sql`select 9007199254740991::int8 as big, 12.50::numeric as price, array[1, null, 3]::int8[] as bigs,
      '{}'::numeric[] as none, array[0.5]::float8[] as reals, count(*) as counted, date '2026-03-29' as day,
      timestamp '2026-03-29 02:30' as local, timestamptz '2026-03-29T02:30:00.123+02' as instant`.execute(
        at.db,
      );
    expect(rows).toEqual([
      {
        big: 9007199254740991,
        price: 12.5,
        bigs: [1, null, 3],
        none: [],
        reals: [0.5],
        counted: 1,
        day: '2026-03-29',
        local: '2026-03-29 02:30:00',
        instant: new Date('2026-03-29T00:30:00.123Z'),
      },
    ]);
  });

  test('an int8 that no number holds exactly is an error, not a near value', async () => {
    await expect(sql`select 9007199254740993::int8 as big`.execute(at.db)).rejects.toThrow(RangeError);
    await expect(sql`select 1 as still`.execute(at.db)).resolves.toMatchObject({ rows: [{ still: 1 }] });
  });
});

describe('errors', () => {
  test.each<[DatabaseErrorClass, string]>([
    ['retry_now', '40001 40P01 CIINF'],
    [
      'retry_later',
      '08006 08P01 40003 25006 25P03 53000 53100 53200 53300 53400 55P03 57014 57P01 57P03 58030',
    ],
    ['caller', '22003 22021 23505 23503 23514'],
    ['ours', '42601 42P01 42501 0A000 25P02 40002 58P01 XX000 P0001'],
  ])('%s: %s', async (expected, states) => {
    for (const state of states.split(' ')) {
      const text = `do $$ begin raise exception using errcode = '${state}', message = 'x'; end $$`;
      expect([state, classifyDatabaseError(await failureOf(sql.raw(text).execute(at.db)))]).toEqual([
        state,
        expected,
      ]);
    }
  });

  test('a broken constraint is told by name', async () => {
    const row = {
      id: '00000000-0000-0000-0001-000000000000',
      name: 'o',
      kind: 'simulation' as const,
      created_at: new Date(0),
    };
    const error = await failureOf(at.db.insertInto('organizations').values(row).execute());
    expect(violatedConstraint(error)).toBe('organizations_parent_check');
    expect(isDatabaseUnavailable(error)).toBe(false);
  });

  test.each([
    ['duplicate key value violates unique constraint "users_email_key_102010"', 'caller', 'users_email_key'],
    [
      'insert or update on table "users_102010" violates foreign key constraint "users_org_fkey_102010"',
      'caller',
      'users_org_fkey',
    ],
    [
      'new row for relation "users_102010" violates check constraint "users_role_check"',
      'caller',
      'users_role_check',
    ],
    ['canceling statement due to lock timeout', 'retry_later', undefined],
    ['deadlock detected', 'retry_now', undefined],
    ['could not find valid entry for shard 102084', 'retry_now', undefined],
    ['failed to COPY to shard 102303 on 10.0.0.21:5432', 'retry_later', undefined],
    ['failure on connection marked as essential: 10.0.0.22:5432', 'retry_later', undefined],
    ['SSL SYSCALL error: EOF detected', 'retry_later', undefined],
    ['server closed the connection unexpectedly', 'retry_later', undefined],
    ['could not receive data from server: Connection reset by peer', 'retry_later', undefined],
  ])(
    'what Citus tells in words alone is as bad as its state would say: %s',
    async (words, found, constraint) => {
      const text = `do $$ begin raise exception using errcode = 'XX000', message = '${words}'; end $$`;
      const error = await failureOf(sql.raw(text).execute(at.db));
      expect([classifyDatabaseError(error), violatedConstraint(error)]).toEqual([found, constraint]);
    },
  );

  test('an absent server, an absent host and a cut connection are unavailable', async () => {
    const absent = openDatabase({ connection: { host: '/nonexistent', user: 'u', database: 'd' } });
    expect(isDatabaseUnavailable(await failureOf(sql`select 1`.execute(absent.db)))).toBe(true);
    const refused = openDatabase({ connection: 'postgresql://u@127.0.0.1:1/d' });
    expect(isDatabaseUnavailable(await failureOf(sql`select 1`.execute(refused.db)))).toBe(true);
    expect(
      isDatabaseUnavailable(
        await failureOf(sql`select pg_terminate_backend(pg_backend_pid())`.execute(at.db)),
      ),
    ).toBe(true);
    await Promise.all([absent.close(), refused.close()]);
  });

  test('an exhausted pool is unavailable', async () => {
    const one = openDatabase({ connection: { ...at.connection }, max: 1, statementMs: 100 });
    const held = await one.pool.connect();
    expect(isDatabaseUnavailable(await failureOf(sql`select 1`.execute(one.db)))).toBe(true);
    held.release();
    await one.close();
  });

  test('a mistake in a statement or in the program is not', async () => {
    expect(isDatabaseUnavailable(await failureOf(sql`select nothing`.execute(at.db)))).toBe(false);
    expect(isDatabaseUnavailable(new TypeError('x is not a function'))).toBe(false);
    expect(
      isDatabaseUnavailable(Object.assign(new Error('no such file'), { code: 'ENOENT', syscall: 'open' })),
    ).toBe(false);
  });
});
