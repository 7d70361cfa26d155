import { expect, test } from 'vitest';
import { drawCharts } from '../../../tools/validate/charts.ts';
import type { LineChart } from '../../../tools/validate/charts.ts';

const chart = (title: string, points: LineChart['series'][number]['points']): LineChart => ({
  title,
  kind: 'lines',
  x: { label: 'Time, h', from: 0, to: 1, step: 1, tickNames: ['now', 'then'] },
  y: { label: 'Power, W', from: 0, to: 1, step: 1 },
  series: [{ name: 'one', points, isDashed: true }],
});
const DIAGONAL = [
  [0, 0],
  [1, 1],
] as const;

test('a chart has title, axes with units and a legend, escapes its words, and follows the colour scheme', () => {
  const svg = drawCharts([chart('a < b & c', DIAGONAL)]);
  expect(svg).toContain('a &lt; b &amp; c');
  for (const label of ['Time, h', 'Power, W', 'one', 'now', 'then'])
    expect(svg).toContain(`>${label}</text>`);
  // The line from corner to corner of the plot.
  expect(svg).toContain('d="M56,274L700,78"');
  expect(svg).toContain('stroke-dasharray="5 4"');
  expect(svg).toContain('prefers-color-scheme:dark');
  expect(svg).not.toMatch(/<script|<rect|#fff|currentColor"? font/);
});

test('charts of a picture stand below each other, each as high as it asks', () => {
  const svg = drawCharts([{ ...chart('first', DIAGONAL), height: 200 }, chart('second', DIAGONAL)]);
  expect(svg).toMatch(/^<svg [^>]*viewBox="0 0 720 520"/);
  expect([...svg.matchAll(/<svg [^>]*\by="(\d+)"/g)].map(([, top]) => top)).toEqual(['0', '200']);
  expect(svg.indexOf('first')).toBeLessThan(svg.indexOf('second'));
});

test('points between two of the same height are left out', () => {
  const flat = [0, 0.25, 0.5, 0.75].map((x) => [x, 0.5] as const);
  const svg = drawCharts([chart('flat', [...flat, [1, 1]])]);
  expect(svg).toContain('d="M56,176L539,176L700,78"');
});

test('a legend that is cut off is an error', () => {
  const series = ['a', 'b', 'c'].map((name) => ({ name: name.repeat(35), points: DIAGONAL }));
  expect(() => drawCharts([{ ...chart('wide', DIAGONAL), series }])).toThrow(/legend of "wide" does not fit/);
});

test('series are told apart without colours: lines by dashes, bars by being hollow', () => {
  const series = ['a', 'b', 'c'].map((name) => ({ name, points: DIAGONAL }));
  const lines = drawCharts([{ ...chart('lines', DIAGONAL), series }]);
  const dashes = [...lines.matchAll(/stroke-dasharray="([^"]*)"/g)].map(([, each]) => each);
  // Those of the lines, of which the first is solid, and of the legend.
  expect(dashes).toEqual(['9 3', '2 2', 'none', '9 3', '2 2']);
  const bars = drawCharts([
    {
      kind: 'bars',
      title: 'bars',
      x: { label: 'Month', categories: ['1'], ticks: ['1'] },
      y: { label: 'Energy, kWh', from: 0, to: 2, step: 1 },
      series: [
        { name: 'measured', values: [1] },
        { name: 'simulated', values: [2] },
      ],
    },
  ]);
  const ofSecond = bars.match(/<[^>]*#d9722e[^>]*>/g) ?? [];
  expect(ofSecond).toHaveLength(2);
  for (const element of ofSecond) expect(element).toContain('fill="none"');
});

test('a line that leaves its axis is an error', () => {
  expect(() => drawCharts([chart('high', [[0, 1.5]])])).toThrow(/1.5 leaves the axis of "high"/);
});
