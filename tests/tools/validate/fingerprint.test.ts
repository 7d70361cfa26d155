import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { computeFingerprint, isReportStale } from '../../../tools/validate/fingerprint.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fingerprint-'));
  write(
    'tools/validate/main.ts',
    "import { YEAR } from '../../src/simulation/year.ts';\nconsole.log(YEAR);\n",
  );
  write('tools/validate/part-worker.ts', "await import('./cars.ts');\n");
  write(
    'tools/validate/cars.ts',
    "import table from './table.json' with { type: 'json' };\nexport { table };\n",
  );
  write('tools/validate/table.json', '[1]\n');
  write('tools/validate/truth/cars.csv', 'car,kWh\n');
  write('src/simulation/year.ts', 'export const YEAR: number = 2025;\n');
  write('src/simulation/unused.ts', 'export const A = 1;\n');
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

test.each([
  ['an imported module', 'src/simulation/year.ts', 'export const YEAR: number = 2026;\n'],
  ['a module that is loaded later', 'tools/validate/cars.ts', 'export {};\n'],
  ['imported data', 'tools/validate/table.json', '[2]\n'],
  ['the truth', 'tools/validate/truth/cars.csv', 'car,kWh\n1,2\n'],
])('%s changes the fingerprint', (_what, path, text) => {
  const before = computeFingerprint(root);
  write(path, text);
  expect(computeFingerprint(root)).not.toBe(before);
});

test.each([
  [
    'comments and types',
    'src/simulation/year.ts',
    '/** A year. */\nexport const YEAR = 2025; // the last one\n',
  ],
  ['a module that nothing imports', 'src/simulation/unused.ts', 'export const A = 2;\n'],
])('%s leave it as it is', (_what, path, text) => {
  const before = computeFingerprint(root);
  write(path, text);
  expect(computeFingerprint(root)).toBe(before);
});

test('a report is stale once the code has changed, and when there is none', () => {
  expect(isReportStale(root)).toBe(true);
  write('generated/validation/report.json', JSON.stringify({ fingerprint: computeFingerprint(root) }));
  expect(isReportStale(root)).toBe(false);
  write('src/simulation/year.ts', 'export const YEAR = 2026;\n');
  expect(isReportStale(root)).toBe(true);
});
