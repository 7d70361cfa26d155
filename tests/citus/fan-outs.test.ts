import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FUNCTIONS_OF_ALL_SHARDS } from './fan-outs.ts';

const script = readFileSync(join(import.meta.dirname, '../../deploy/citus/functions.sql'), 'utf8');

/** Functions that switch the log of statements over several shards off. */
function listSilent(text: string): string[] {
  return text
    .split(/^create or replace (?:function|procedure) /m)
    .filter((each) => each.includes('set citus.multi_task_query_log_level = off'))
    .map((each) => /^\w+/.exec(each)?.[0] ?? '');
}

test('functions that ask all shards without a log of it are listed, each with its reason and bound', () => {
  expect(listSilent(script).sort()).toEqual(Object.keys(FUNCTIONS_OF_ALL_SHARDS).sort());
});

test('a function that switches the log off is found', () => {
  const more = `${script}\ncreate or replace function look_around() returns void language sql\nset citus.multi_task_query_log_level = off as '';`;
  expect(listSilent(more)).toContain('look_around');
});
