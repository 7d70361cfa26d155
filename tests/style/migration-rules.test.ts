import { expect, test } from 'vitest';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LAST_WITHOUT_RULES, listMigrationFaults } from './migration-rules.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'migrations');
const names = readdirSync(folder).filter((name) => /^\d{4}-.*\.sql$/.test(name));

test('every new migration can be applied while the service is at work', () => {
  const released = JSON.parse(readFileSync(join(root, 'released/history.json'), 'utf8')) as {
    version: string;
  }[];
  const versions = released.map(({ version }) => version);
  expect(names).toContain(LAST_WITHOUT_RULES);
  const faults = names
    .filter((name) => name > LAST_WITHOUT_RULES)
    .flatMap((name) =>
      listMigrationFaults(readFileSync(join(folder, name), 'utf8'), versions).map(
        (fault) => `${name} ${fault}`,
      ),
    );
  expect(faults).toEqual([]);
});

test.each([
  'create table a (n int not null); create index a_n on a (n); alter table a add constraint c check (n > 0);',
  'alter table a add column n int; alter table a add column m int not null default 0;',
  'alter table a add constraint a_check check (n > 0) not valid;',
  'alter table a validate constraint a_check;',
  '-- For the list.\ncreate index concurrently a_n on a (n);',
  '-- unused since 2.0\nalter table a drop column n;',
  'create or replace function f() returns void language sql as $$ update a set n = 1; $$;',
])('%s', (sql) => {
  expect(listMigrationFaults(sql, ['2.0'])).toEqual([]);
});

test.each([
  ['create index a_n on a (n);', 'builds an index while nobody can write'],
  [
    'create index concurrently a_n on a (n); alter table a add column m int;',
    'does more than to build an index',
  ],
  ['alter table a alter column n type bigint;', 'writes the table anew'],
  ['alter table a alter n set not null;', 'reads the whole table'],
  ['alter table a add column n int generated always as (1) stored;', 'computed for each row'],
  ['alter table a add column n int not null;', 'do not fill'],
  ['alter table a add column n int, add column m int not null;', 'do not fill'],
  ['alter table a\n  rename column n to m;', 'renames'],
  ['alter table a add constraint a_check check (n > 0);', 'say not valid'],
  ['alter table a drop column n;', 'removes'],
  ['-- unused since 2.1\ndrop table a;', 'removes'],
  ['alter table a add column n int; alter table b add column n int;', 'alters several tables'],
  ['update a set n = 1;', 'in batches'],
  ['delete from a;', 'in batches'],
  ['lock table a;', 'locks a table'],
])('%s is refused', (sql, fault) => {
  expect(listMigrationFaults(sql, ['2.0'])).toEqual([expect.stringContaining(fault)]);
});
