import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { drawChart } from '../../../tools/fidelity/charts.ts';
import { within } from '../../../tools/fidelity/sample-fleets.ts';
import { reportTable } from '../../../tools/fidelity/report.ts';

const root = join(import.meta.dirname, '../../..');

// In a process of its own: under the test runner the same takes eight times as long.
test('the simulator meets every target, and the committed charts are those of the report', async () => {
  const program = join(root, 'tools/fidelity/main.ts');
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, '--check'], { cwd: root });
  expect(stderr).not.toContain('Stale');
  expect(stdout).not.toContain('MISSED');
  expect(stdout).toMatch(/\n(3\d) of \1 targets met\.\n$/);
}, 120_000);

test('a check can be missed, and the table says so', () => {
  const checks = [within('Low', 1.94, 2, 3), within('Good', 2, 2, 3), within('High', 3.01, 2, 3)];
  expect(checks.map(({ met }) => met)).toEqual([false, true, false]);
  expect(reportTable(checks)).toBe(
    [
      'Target | Goal   | Value | Verdict',
      '-------|--------|-------|--------',
      'Low    | 2 to 3 | 1.94  | MISSED ',
      'Good   | 2 to 3 | 2.00  | met    ',
      'High   | 2 to 3 | 3.01  | MISSED ',
    ].join('\n'),
  );
});

test('a chart escapes its words and needs no style', () => {
  const svg = drawChart({
    title: 'a < b & c',
    kind: 'lines',
    x: { label: 'x', from: 0, to: 1, step: 1 },
    y: { label: 'y', from: 0, to: 1, step: 1 },
    series: [{ name: 'one', points: [[0, 0], [1, 1]], dashed: true }],
  }); // prettier-ignore
  expect(svg).toContain('a &lt; b &amp; c');
  expect(svg).toContain('<path d="M56 278L570 34"');
  expect(svg).not.toMatch(/style|<script/);
});
