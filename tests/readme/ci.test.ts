// .ci/run with a make that only says what the real one would have said.
import { afterEach, expect, test } from 'vitest';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../process/partner.ts';
import { root } from './document.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

interface Told {
  readonly says: string;
  readonly code?: number;
}

async function ci(targets: Readonly<Record<'check' | 'test' | 'test-browser', Told>>) {
  const folder = mkdtempSync(join(tmpdir(), 'partner-ci-'));
  folders.push(folder);
  mkdirSync(join(folder, 'bin'));
  const cases = Object.entries(targets).map(
    ([target, { says, code = 0 }]) => `${target}) echo '${says}' >&2; exit ${code} ;;`,
  );
  const script = `#!/bin/sh\ncase $1 in\n${cases.join('\n')}\n*) exit 9 ;;\nesac\n`;
  for (const [name, text] of [
    ['make', script],
    ['chromium', '#!/bin/sh\n'],
    ['curl', '#!/bin/sh\n'],
  ] as const) {
    writeFileSync(join(folder, 'bin', name), text, { mode: 0o755 });
  }
  const { code, output } = await run(join(root, '.ci/run'), [], {
    PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
    FORCE_COLOR: '1',
  });
  return [code, output.trimEnd().split('\n').at(-1)];
}

const green = { says: 'Tests:       120 passed, 120 total' };
const quiet = { says: '' };

test('the last line sums what both kinds of tests said', async () => {
  expect(
    await ci({ check: quiet, test: green, 'test-browser': { says: 'Tests:       3 passed, 3 total' } }),
  ).toEqual([0, '123 passed, 0 failed']);
});

test.each([
  [
    'failed tests',
    {
      check: quiet,
      test: { says: 'Tests:       2 failed, 1 skipped, 15 passed, 18 total', code: 2 },
      'test-browser': green,
    },
    '135 passed, 2 failed',
  ],
  [
    'a failed check',
    { check: { says: 'stale', code: 2 }, test: green, 'test-browser': green },
    '240 passed, 1 failed',
  ],
  [
    'tests that could not start',
    { check: quiet, test: green, 'test-browser': { says: 'no browser', code: 1 } },
    '120 passed, 1 failed',
  ],
])('%s fail the run, and all else is run all the same', async (_, targets, line) => {
  expect(await ci(targets)).toEqual([1, line]);
});
