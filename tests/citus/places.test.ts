// deploy/citus/distribute.sql has a place for every table, and replaces every key that Citus could not keep.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const script = readFileSync(join(root, 'deploy/citus/distribute.sql'), 'utf8');
const schema = readFileSync(join(root, 'migrations/schema.sql'), 'utf8');

/** What the dump of the schema leaves out. */
const OF_MIGRATIONS = 'schema_migrations';

/** The place of each table: `reference`, `local`, or the column by which it is distributed. */
function readPlaces(sql: string): ReadonlyMap<string, string> {
  const list = /insert into places values\n([^;]*);/.exec(sql)?.[1] ?? '';
  return new Map(
    [...list.matchAll(/^ {2}\('(\w+)', '(\w+)'\)/gm)].map(([, name = '', place = '']) => [name, place]),
  );
}

interface Table {
  readonly name: string;
  readonly text: string;
}

function readTables(sql: string): Table[] {
  const starts = [...sql.matchAll(/^create (?:unlogged )?table (\w+) \(/gm)];
  return starts.map((start, place) => ({
    name: start[1] ?? '',
    text: sql.slice(start.index, starts[place + 1]?.index),
  }));
}

/** Tables without a place, and places without a table. */
function listMisplaced(sql: string, places: ReadonlyMap<string, string>): string[] {
  const names = [...readTables(sql).map(({ name }) => name), OF_MIGRATIONS];
  return [
    ...names.filter((name) => !places.has(name)),
    ...[...places.keys()].filter((name) => !names.includes(name)),
  ];
}

/** Unique keys and indexes of distributed tables that do not name the column by which the table is distributed. */
function listNarrowKeys(sql: string, places: ReadonlyMap<string, string>): string[] {
  return readTables(sql).flatMap(({ name, text }) => {
    const column = places.get(name);
    if (column === undefined || column === 'reference' || column === 'local') return [];
    const keys = [
      ...text.matchAll(/constraint (\w+) (?:PRIMARY KEY|UNIQUE) \(([^)]*)\)/g),
      ...text.matchAll(/CREATE UNIQUE INDEX (\w+) ON \S+ USING \w+ \((.*)\)/g),
    ];
    return keys.flatMap(([, key = '', columns = '']) =>
      columns.split(/[,\s]+/).includes(column) ? [] : [key],
    );
  });
}

const places = readPlaces(script);

test('every table has a place, in the alphabet behind those that others refer to', () => {
  expect(places.size).toBeGreaterThan(30);
  expect(listMisplaced(schema, places)).toEqual([]);
});

test('a new table without a place is found, and a place without a table', () => {
  const more = `${schema}\ncreate table somewhere (\n  org_id uuid not null\n);`;
  expect(listMisplaced(more, places)).toEqual(['somewhere']);
  expect(listMisplaced(schema, new Map([...places, ['nowhere', 'org_id']]))).toEqual(['nowhere']);
});

test('keys that do not name the column of their table are replaced by the script', () => {
  const narrow = listNarrowKeys(schema, places);
  expect(narrow).not.toEqual([]);
  expect(narrow.filter((key) => !new RegExp(`drop (constraint|index)[^;]* ${key}\\b`).test(script))).toEqual(
    [],
  );
});

test('a new key without the column is found', () => {
  const more = `${schema}\ncreate table somewhere (\n  constraint somewhere_pkey PRIMARY KEY (id)\n);`;
  expect(listNarrowKeys(more, new Map([['somewhere', 'org_id']]))).toEqual(['somewhere_pkey']);
});
