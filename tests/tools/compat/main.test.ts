// The program itself, as `make compat` and `make check` run it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'compat-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PROGRAM = join(import.meta.dirname, '../../../tools/compat/main.ts');

/** A document whose only parameter takes so many characters, as YAML. */
function write(name: string, version: string, maxLength: number): string {
  const file = join(folder, `${name}.yaml`);
  const schema = `{ type: string, maxLength: ${maxLength} }`;
  const parameter = `{ name: q, in: query, schema: ${schema} }`;
  writeFileSync(
    file,
    `info: { version: '${version}' }\npaths: { /a: { get: { responses: {}, parameters: [${parameter}] } } }\n`,
  );
  return file;
}

function compare(...words: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...words], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('a change that breaks is told with rule, place, old and new, and fails without a new major version', () => {
  const [old, next] = [write('old', '2.0', 20), write('next', '2.1', 10)];
  expect(compare(old, next)).toEqual({
    status: 1,
    stdout: 'BREAKING request-max-length at /paths/~1a/get/parameters/0/schema\n    20 -> 10\n    GET /a\n\n',
    stderr:
      '2.0 -> 2.1: 1 breaking, 0 unmarked, 0 beta, 0 additive.\n' +
      '1 breaking changes need a new major version (docs/reference/lifecycle.md), or are to be taken back.\n',
  });
  const { status, stdout } = compare('--json', old, write('major', '3.0', 10));
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toEqual([
    {
      rule: 'request-max-length',
      verdict: 'breaking',
      place: '/paths/~1a/get/parameters/0/schema',
      operations: ['GET /a'],
      old: 20,
      new: 10,
    },
  ]);
});

test('one file alone is a mistake', () => {
  expect(compare('old.yaml')).toMatchObject({ status: 2, stderr: expect.stringContaining('Usage:') });
});
