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

/** What a make target does: it writes a report, or none, and ends with a code. */
interface Target {
  readonly report?: object;
  /** A command in place of both. */
  readonly runs?: string;
  readonly code?: number;
}

const write = (report: object | undefined): string =>
  report === undefined ? '' : `echo '${JSON.stringify(report)}' > "$TEST_REPORT";`;

async function ci(targets: Readonly<Record<'check' | 'validate' | 'test' | 'test-browser', Target>>) {
  const folder = mkdtempSync(join(tmpdir(), 'partner-ci-'));
  folders.push(folder);
  mkdirSync(join(folder, 'bin'));
  const cases = Object.entries(targets).map(
    ([target, { report, code = 0, runs }]) => `${target}) ${runs ?? `${write(report)} exit ${code}`} ;;`,
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

const passed = (count: number): Target => ({ report: counts(count, 0) });
/** The beginning of Vitest's JSON report. */
function counts(numPassedTests: number, numFailedTests: number): object {
  const numTotalTests = numPassedTests + numFailedTests;
  return {
    numTotalTestSuites: 9,
    numTotalTests,
    numPassedTests,
    numFailedTests,
    numPendingTests: 1,
    numTodoTests: 0,
  };
}

test('the last line sums the counts of both kinds of tests', async () => {
  expect(await ci({ check: {}, validate: {}, test: passed(120), 'test-browser': passed(3) })).toEqual([
    0,
    '123 passed, 0 failed',
  ]);
});

test.each([
  [
    'failed tests',
    { check: {}, validate: {}, test: { report: counts(15, 2), code: 2 }, 'test-browser': passed(120) },
    '135 passed, 2 failed',
  ],
  [
    'a failed check',
    { check: { code: 2 }, validate: {}, test: passed(120), 'test-browser': passed(120) },
    '240 passed, 1 failed',
  ],
  [
    'a row of the validation that misses',
    { check: {}, validate: { code: 2 }, test: passed(120), 'test-browser': passed(120) },
    '240 passed, 1 failed',
  ],
  [
    'tests that could not start',
    { check: {}, validate: {}, test: passed(120), 'test-browser': { code: 1 } },
    '120 passed, 1 failed',
  ],
  [
    'a run that fails without a failed test',
    { check: {}, validate: {}, test: { report: counts(15, 0), code: 1 }, 'test-browser': passed(3) },
    '18 passed, 1 failed',
  ],
])('%s fail the run, and all else is run all the same', async (_, targets, line) => {
  expect(await ci(targets)).toEqual([1, line]);
});

test('the report of the real test runner is understood', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'partner-report-'));
  folders.push(folder);
  const twoOfThree =
    "test('a', () => {}); test('b', () => {}); test('c', () => { throw new Error('planted'); });";
  writeFileSync(join(folder, 'planted.test.js'), twoOfThree);
  const vitest = `'${process.execPath}' '${join(root, 'node_modules/vitest/vitest.mjs')}' run --globals --root '${folder}'`;
  const test = { runs: `${vitest} --reporter=json --outputFile="$TEST_REPORT"` };
  expect(await ci({ check: {}, validate: {}, test, 'test-browser': passed(3) })).toEqual([
    1,
    '5 passed, 1 failed',
  ]);
});
