import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './document.ts';

/** The tests that make test-fast runs for changed files, by the sed expression of the Makefile. */
async function testsOf(files: readonly string[]): Promise<string[]> {
  const makefile = readFileSync(join(root, 'Makefile'), 'utf8');
  const expression = /sed -nE '(s,[^']*)'/.exec(makefile)?.[1]?.replaceAll('$$', '$') ?? '';
  const script = `printf '%s\\n' "$@" | sed -nE "$EXPRESSION"`;
  const env = { ...process.env, EXPRESSION: expression };
  const { stdout } = await promisify(execFile)('sh', ['-c', script, 'sh', ...files], { env });
  return stdout.trim().split('\n');
}

test('make test-fast takes the tests of operations that were changed, in a file or a folder of their tag', async () => {
  expect(
    await testsOf([
      'src/operations/users.ts',
      'src/operations/fleets/create.ts',
      'tests/operations/webhooks.test.ts',
      'src/portal/login.ts',
    ]),
  ).toEqual(['tests/operations/users', 'tests/operations/fleets', 'tests/operations/webhooks']);
});
