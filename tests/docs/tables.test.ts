// docs/architecture.md tells for every table what bounds it.
import { expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '../../src/config/settings.ts';
import { DEFAULT_QUOTAS } from '../../src/domain/api/quotas.ts';
import { readme, root, tableRows } from '../readme/document.ts';

const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
const schema = readFileSync(join(root, 'migrations/schema.sql'), 'utf8');
const rows = tableRows(page, 'What bounds each table');

/** The tables of a schema that have no row, and rows without a table. */
function differences(sql: string): string[] {
  const tables = [...sql.matchAll(/^create (?:unlogged )?table (\w+) \(/gm)].map(
    ([, name = '']) => `\`${name}\``,
  );
  const named = rows.map(([name = '']) => name);
  const isIn = (list: readonly string[]) => (name: string) => !list.includes(name);
  return [...tables.filter(isIn(named)), ...named.filter(isIn(tables))];
}

test('each table has a row, in the alphabet, that says what its rows are and what bounds their number', () => {
  expect(differences(schema)).toEqual([]);
  expect(rows.map(([name]) => name)).toEqual(rows.map(([name]) => name).toSorted());
  for (const row of rows)
    expect(row).toEqual([row[0], expect.stringMatching(/.{5}/), expect.stringMatching(/.{10}/)]);
});

test('a new table without a row is found, and a row without a table', () => {
  expect(differences(`${schema}\ncreate table grows_for_ever (\n`)).toEqual(['`grows_for_ever`']);
  expect(differences(schema.replace('create table webhooks (', 'create view webhooks ('))).toEqual([
    '`webhooks`',
  ]);
});

test('each retention setting bounds a table, and so does each quota of what is stored', () => {
  const bounds = rows.map(([, , bound = '']) => bound).join('\n');
  const settings = tableRows(readme, 'Settings').flatMap(([name = '']) =>
    name.includes('RETENTION') ? [name] : [],
  );
  expect(settings.length).toBe(Object.keys(readSettings({}).retentionDays).length);
  expect(settings.filter((name) => !bounds.includes(name))).toEqual([]);
  const stored = Object.keys(DEFAULT_QUOTAS).filter((name) => name !== 'event_streams');
  expect(stored.filter((name) => !bounds.includes(`\`${name}\``))).toEqual([]);
});
