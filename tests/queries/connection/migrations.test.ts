import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { applyMigrations } from '../../../src/queries/connection/migrations.ts';
import { emptyDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';

let at: TestDatabase;
let folder: string;

beforeEach(async () => {
  at = await emptyDatabase();
  folder = mkdtempSync(join(tmpdir(), 'migrations-test-'));
  put('0001-first.sql', 'create table first (n int);\ninsert into first values (1);');
  put('0002-second.sql', 'alter table first add column m int;');
});
afterEach(async () => {
  await at.close();
  rmSync(folder, { recursive: true });
});

const MIGRATIONS = resolve(import.meta.dirname, '../../../migrations');

const put = (name: string, sql: string): void => writeFileSync(join(folder, name), sql);

async function stateOf(): Promise<unknown> {
  const { rows } = await at.pool.query('select name from schema_migrations order by name');
  const columns = await at.pool.query(
    `select attname as name from pg_attribute where attrelid = to_regclass('first') and attnum > 0 order by attnum`,
  );
  const names = (list: { name: string }[]): string[] => list.map(({ name }) => name);
  return { applied: names(rows as { name: string }[]), columns: names(columns.rows as { name: string }[]) };
}

test('the kernel asks after the database while a statement of a migration takes long', async () => {
  const kept = vi.spyOn(Socket.prototype, 'setKeepAlive');
  try {
    await applyMigrations(at.connection, folder);
    expect(kept).toHaveBeenCalledWith(true, 10_000);
  } finally {
    kept.mockRestore();
  }
});

test('migrations are applied in order, once; a dump beside them is no migration', async () => {
  put('schema.sql', 'this is not applied');
  expect(await applyMigrations(at.connection, folder)).toEqual(['0001-first.sql', '0002-second.sql']);
  expect(await applyMigrations(at.connection, folder)).toEqual([]);
  put('0003-third.sql', 'alter table first add column o int;');
  expect(await applyMigrations(at.connection, folder)).toEqual(['0003-third.sql']);
  expect(await stateOf()).toEqual({
    applied: ['0001-first.sql', '0002-second.sql', '0003-third.sql'],
    columns: ['n', 'm', 'o'],
  });
});

test('a migration that fails leaves nothing of itself and names its file and line', async () => {
  put(
    '0003-third.sql',
    'alter table first add column o int;\n\nalter table first add column o int;\nselect nothing;',
  );
  await expect(applyMigrations(at.connection, folder)).rejects.toThrow(
    'Migration 0003-third.sql failed: column "o" of relation "first" already exists',
  );
  put('0003-third.sql', 'select 1;\n\nselect nothing;');
  await expect(applyMigrations(at.connection, folder)).rejects.toThrow(
    'Migration 0003-third.sql, line 3 failed: column "nothing" does not exist',
  );
  expect(await stateOf()).toEqual({ applied: ['0001-first.sql', '0002-second.sql'], columns: ['n', 'm'] });
});

describe('what is refused', () => {
  test('a migration changed after it was applied, though not its line ends', async () => {
    await applyMigrations(at.connection, folder);
    put('0001-first.sql', 'create table first (n int);\r\ninsert into first values (1);');
    expect(await applyMigrations(at.connection, folder)).toEqual([]);
    put('0001-first.sql', 'create table first (n int8);');
    await expect(applyMigrations(at.connection, folder)).rejects.toThrow(
      'The tables of this database were made by an unreleased version of the program (its 0001-first.sql differs): remove the data folder (.data unless DATA_DIR names another), or point DATABASE_URL to an empty database, and start again.',
    );
    put('0001-first.sql', 'create table first (n int);\ninsert into first values (1);');
    put('0002-second.sql', 'alter table first add column other int;');
    await expect(applyMigrations(at.connection, folder)).rejects.toThrow(
      'Migration 0002-second.sql was changed after this database had applied it: restore the file as it was released.',
    );
  });

  test('a database of changed migrations is left as it was', async () => {
    await applyMigrations(at.connection, folder);
    await at.pool.query('insert into first values (7)');
    const dump = async () => [
      await stateOf(),
      (await at.pool.query('select * from first')).rows,
      (await at.pool.query('select * from schema_migrations order by name')).rows,
    ];
    const before = await dump();
    put('0001-first.sql', 'create table first (n int8); create table other (n int8);');
    put('0003-third.sql', 'drop table first');
    await expect(applyMigrations(at.connection, folder)).rejects.toThrow('unreleased version');
    expect(await dump()).toEqual(before);
  });

  test('a database that a newer program has migrated', async () => {
    await applyMigrations(at.connection, folder);
    rmSync(join(folder, '0002-second.sql'));
    await expect(applyMigrations(at.connection, folder)).rejects.toThrow(
      'The database has migration 0002-second.sql, which this version of the program does not have',
    );
  });

  test.each(['0004-gap.sql', '0002-twice.sql', '0003_under.sql', '3-short.sql'])(
    'a file named %s',
    async (name) => {
      put(name, 'select 1;');
      await expect(applyMigrations(at.connection, folder)).rejects.toThrow('numbers run from 0001');
    },
  );
});

test('of many processes that start at once one migrates and the others find it done', async () => {
  // Slow enough that all are there before the first has finished.
  put('0003-slow.sql', 'select pg_sleep(0.5); alter table first add column o int;');
  const program = `
    import { applyMigrations } from ${JSON.stringify(resolve(import.meta.dirname, '../../../src/queries/connection/migrations.ts'))};
    console.log(JSON.stringify(await applyMigrations(${JSON.stringify(at.connection)}, ${JSON.stringify(folder)})));`;
  const outputs = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      await once(child, 'close');
      return output.trim();
    }),
  );
  expect(outputs.sort()).toEqual(
    ['["0001-first.sql","0002-second.sql","0003-slow.sql"]', '[]', '[]', '[]', '[]'].sort(),
  );
  expect((await at.pool.query('select n from first')).rows).toEqual([{ n: 1 }]);
});

describe('while the service is at work', () => {
  /** Reads and writes the table without a pause until the end; tells the longest time that one took, in milliseconds. */
  function work(): { readonly end: () => Promise<number>; readonly rounds: () => number } {
    let [isOver, rounds, longestMs] = [false, 0, 0];
    const run = async (statement: string): Promise<void> => {
      while (!isOver) {
        const startedAt = performance.now();
        await at.pool.query(statement);
        longestMs = Math.max(longestMs, performance.now() - startedAt);
        rounds += 1;
      }
    };
    const ended = Promise.all(['select n from first limit 1', 'insert into first values (2)'].map(run));
    return {
      rounds: () => rounds,
      end: async () => {
        isOver = true;
        await ended;
        return longestMs;
      },
    };
  }

  test('one that does not get its lock holds nobody up for more than a second, and is applied when it gets it', async () => {
    await applyMigrations(at.connection, folder);
    put('0003-third.sql', 'alter table first add column o int;');
    const reader = await at.pool.connect();
    await reader.query('begin; select from first');
    const others = work();
    const waits: string[] = [];
    const applied = applyMigrations(at.connection, folder, { onWait: (reason) => waits.push(reason) });
    await expect.poll(() => waits.length).toBe(2);
    expect(await others.end()).toBeLessThan(1_000);
    expect(others.rounds()).toBeGreaterThan(10);
    expect(await stateOf()).toEqual({ applied: ['0001-first.sql', '0002-second.sql'], columns: ['n', 'm'] });
    await reader.query('commit');
    reader.release();
    expect(await applied).toEqual(['0003-third.sql']);
    expect(new Set(waits)).toEqual(new Set(['0003-third.sql did not get its lock']));
  });

  test('one that never gets its lock fails in the end, and leaves nothing', async () => {
    await applyMigrations(at.connection, folder);
    put('0003-third.sql', 'create table third (n int); alter table first add column o int;');
    const reader = await at.pool.connect();
    await reader.query('begin; select from first');
    const waits: string[] = [];
    const patience = { waitMs: 20, pauseMs: 5, tries: 3 };
    await expect(
      applyMigrations(at.connection, folder, { patience, onWait: (reason) => waits.push(reason) }),
    ).rejects.toThrow('Migration 0003-third.sql failed: canceling statement due to lock timeout');
    await reader.query('commit');
    reader.release();
    expect(waits).toHaveLength(2);
    expect(await stateOf()).toEqual({ applied: ['0001-first.sql', '0002-second.sql'], columns: ['n', 'm'] });
    expect((await at.pool.query("select to_regclass('third') as third")).rows).toEqual([{ third: null }]);
  });

  test('an index is built beside writers, and beside processes that wait for the end of the migrations', async () => {
    await applyMigrations(at.connection, folder);
    put('0003-index.sql', '-- For the list.\ncreate index concurrently first_n_idx on first (n);');
    const writer = await at.pool.connect();
    await writer.query('begin; insert into first values (3)');
    const builds = applyMigrations(at.connection, folder);
    await expect
      .poll(
        async () => (await at.pool.query("select from pg_indexes where indexname = 'first_n_idx'")).rowCount,
      )
      .toBe(1);
    const others = work();
    const waits: string[] = [];
    const second = applyMigrations(at.connection, folder, { onWait: (reason) => waits.push(reason) });
    await expect.poll(() => waits).toEqual(['another process migrates the database']);
    await expect.poll(() => others.rounds()).toBeGreaterThan(100);
    expect(await others.end()).toBeLessThan(1_000);
    await writer.query('commit');
    writer.release();
    expect(await Promise.all([builds, second])).toEqual([['0003-index.sql'], []]);
  });

  test('an index whose building was ended is built anew', async () => {
    await applyMigrations(at.connection, folder);
    await at.pool.query('insert into first values (1)');
    put('0003-index.sql', 'create unique index concurrently first_n_key on first (n);');
    await expect(applyMigrations(at.connection, folder)).rejects.toThrow('could not create unique index');
    const readIndex = async () =>
      (await at.pool.query("select indisvalid from pg_index where indexrelid = to_regclass('first_n_key')"))
        .rows;
    expect(await readIndex()).toEqual([{ indisvalid: false }]);
    await at.pool.query('delete from first');
    expect(await applyMigrations(at.connection, folder)).toEqual(['0003-index.sql']);
    expect(await readIndex()).toEqual([{ indisvalid: true }]);
  });
});

test('deliveries in flight when 0006 is applied keep their leases, now with their partner', async () => {
  const own = join(folder, 'own');
  mkdirSync(own);
  const apply = (isWanted: (name: string) => boolean): Promise<readonly string[]> => {
    for (const name of readdirSync(MIGRATIONS).filter((each) => /^\d/.test(each) && isWanted(each)))
      copyFileSync(join(MIGRATIONS, name), join(own, name));
    return applyMigrations(at.connection, own);
  };
  await apply((name) => name < '0006');
  const [partner, simulation, gone, message] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  for (const [id, kind, parent] of [
    [partner, 'partner', null],
    [simulation, 'simulation', partner],
  ])
    await at.pool.query(
      `insert into organizations (id, name, kind, parent_org_id, created_at) values ($1, 'Partner', $2, $3, now())`,
      [id, kind, parent],
    );
  for (const [slot, org] of [partner, simulation, gone].entries())
    await at.pool.query(
      `insert into in_flight_slots (worker_id, slot, org_id, message_id, webhook_id, is_retry, lease_token, lease_until)
       values (7, $1, $2, $3, $3, false, $3, now())`,
      [slot, org, message],
    );
  await at.pool.query('insert into in_flight_slots (worker_id, slot) values (7, 3)');
  expect(await apply((name) => name.startsWith('0006'))).toEqual(['0006-claims.sql']);
  const { rows } = await at.pool.query(
    'select slot, partner_id, message_id from in_flight_slots order by slot',
  );
  expect(rows).toEqual([
    { slot: 0, partner_id: partner, message_id: message },
    { slot: 1, partner_id: partner, message_id: message },
    { slot: 2, partner_id: gone, message_id: message },
    { slot: 3, partner_id: null, message_id: null },
  ]);
  await expect(at.pool.query('update in_flight_slots set partner_id = null where slot = 0')).rejects.toThrow(
    'in_flight_slots_lease_check',
  );
});
