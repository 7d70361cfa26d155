import { afterAll, beforeAll, expect, test } from 'vitest';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const generator = resolve(import.meta.dirname, '../../../tools/generate/schema.ts');
let project: string;

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'schema-test-'));
  mkdirSync(join(project, 'migrations'));
});
afterAll(() => rmSync(project, { recursive: true }));

const generate = (...flags: string[]): { status: number | null; stderr: string } =>
  spawnSync(process.execPath, [generator, project, ...flags], { encoding: 'utf8' });
const read = (path: string): string => readFileSync(join(project, path), 'utf8');

const migration = `
create type mood as enum ('glad', 'sad');
create domain percent as double precision constraint percent_check check (value between 0 and 100);
create function touch() returns trigger language plpgsql as $$ begin return new; end $$;
create table things (
  id bigint generated always as identity,
  mood mood not null,
  words text[],
  share percent,
  kind text not null default 'a',
  size text,
  sums numeric(9,2)[] not null,
  facts jsonb,
  made_at timestamptz(3) not null,
  doubled int generated always as (length(kind) * 2) stored,
  constraint things_pkey primary key (id),
  constraint things_kind_check check (kind in ('a', 'it''s')),
  constraint things_size_check check (size = 'big')
);
create index things_made_idx on things (made_at desc) where kind = 'a';
create trigger things_touch before update on things for each row execute function touch();
comment on table things is 'Things, whatever they''re for';
create view glad_things as select id from things where mood = 'glad';
`;

test('the dump and the row types tell the whole schema, and a stale one fails the check', () => {
  writeFileSync(join(project, 'migrations/0001-things.sql'), migration);
  expect(generate()).toMatchObject({ status: 0, stderr: '' });
  expect(read('migrations/schema.sql')).toMatchSnapshot();
  expect(read('generated/database.ts')).toMatchSnapshot();
  expect(generate('--check').status).toBe(0);

  appendFileSync(join(project, 'generated/database.ts'), '// edited\n');
  const stale = generate('--check');
  expect(stale.status).toBe(1);
  expect(stale.stderr).toMatch(/generated\/database\.ts.*make generate/);

  writeFileSync(join(project, 'migrations/0002-more.sql'), 'alter table things add column more int;');
  expect(generate('--check').stderr).toMatch(/schema\.sql.*database\.ts/);
});
