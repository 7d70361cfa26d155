import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { drawChart } from '../../../tools/fidelity/charts.ts';
import { within } from '../../../tools/fidelity/sample-fleets.ts';
import { reportTable } from '../../../tools/fidelity/report.ts';

const root = join(import.meta.dirname, '../../..');

// In a process of its own, as `make validate` runs it.
test('the simulator meets every target, and the committed charts are those of the report', async () => {
  const program = join(root, 'tools/fidelity/main.ts');
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, '--check'], { cwd: root });
  expect(stderr).not.toContain('Stale');
  expect(stdout).not.toContain('MISSED');
  expect(stdout).toMatch(/\n(3\d) of \1 targets met\.\n$/);
});

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

test('a chart has title, axes with units and a legend, escapes its words, and follows the colour scheme', () => {
  const svg = drawChart({
    title: 'a < b & c',
    kind: 'lines',
    x: { label: 'Time, h', from: 0, to: 1, step: 1 },
    y: { label: 'Power, W', from: 0, to: 1, step: 1 },
    series: [{ name: 'one', points: [[0, 0], [1, 1]], isDashed: true }],
  }); // prettier-ignore
  expect(svg).toContain('a &lt; b &amp; c');
  for (const label of ['Time, h', 'Power, W', 'one']) expect(svg).toContain(`>${label}</text>`);
  // The line from corner to corner of the plot.
  expect(svg).toContain('d="M56,274L700,78"');
  expect(svg).toContain('stroke-dasharray="5 4"');
  expect(svg).toContain('prefers-color-scheme:dark');
  expect(svg).not.toMatch(/<script|<rect|#fff/);
});
