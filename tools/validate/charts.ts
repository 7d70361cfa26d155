/**
 * Charts as SVG files, drawn by Observable Plot on a document of linkedom. The background is transparent and the text
 * follows the reader's colour scheme by an embedded style; where styles are refused, the attributes beside it are readable
 * on white and on black.
 */
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { BEHIND_DASHES, TEXT_COLOUR, barStyle, colourOf, dashesOf } from './chart-styles.ts';

/** What is used of a document and its elements (the project compiles without the types of browsers). */
interface SvgElement {
  textContent: string;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  appendChild(child: SvgElement): void;
  querySelectorAll(selector: string): Iterable<{ remove(): void }>;
  toString(): string;
}
interface SvgDocument {
  createElementNS(namespace: string, name: string): SvgElement;
}

export const CHART_WIDTH = 720;
const USUAL_HEIGHT = 320;
const MARGINS = { marginTop: 78, marginRight: 20, marginBottom: 46, marginLeft: 56 };
const STYLE = 'text{fill:#2b333b}@media(prefers-color-scheme:dark){text{fill:#e2e6ea}}';

/** A numeric axis; the label names quantity and unit. */
export interface Axis {
  readonly label: string;
  readonly from: number;
  readonly to: number;
  /** Distance of the ticks. */
  readonly step: number;
  /** What is written at the ticks, from the first; their numbers where it is absent. */
  readonly tickNames?: readonly string[];
}

export interface LineSeries {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly isDashed?: boolean;
  /** Zero-based index of its colour; that of the series by default. */
  readonly colour?: number;
}

export interface LineChart {
  readonly kind: 'lines';
  readonly title: string;
  /** Pixels; 320 where it is absent. */
  readonly height?: number;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly LineSeries[];
}

/** Bars in groups: each series has one value for each category. */
export interface BarChart {
  readonly kind: 'bars';
  readonly title: string;
  readonly height?: number;
  readonly x: {
    readonly label: string;
    readonly categories: readonly string[];
    /** The categories that are written at the axis. */
    readonly ticks: readonly string[];
  };
  readonly y: Axis;
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
}

export type Chart = LineChart | BarChart;

export const heightOf = (chart: Chart): number => chart.height ?? USUAL_HEIGHT;
function ticksOf({ from, to, step }: Axis): number[] {
  return Array.from({ length: Math.floor((to - from) / step + 1e-9) + 1 }, (_, i) => from + i * step);
}

function yAxisMarks({ y }: Chart): Plot.Markish[] {
  const ticks = ticksOf(y);
  return [
    Plot.gridY(ticks, { stroke: TEXT_COLOUR, strokeOpacity: 0.25 }),
    Plot.axisY(ticks, { label: null, color: TEXT_COLOUR }),
  ];
}

/** Points without those between two of the same height, which change nothing that is seen. */
const visiblePoints = (points: LineSeries['points']): LineSeries['points'] =>
  points.filter(([, y], i) => y !== points[i - 1]?.[1] || y !== points[i + 1]?.[1]);

function lineMarks(chart: LineChart): Plot.Markish[] {
  const { tickNames } = chart.x;
  return [
    Plot.axisX(ticksOf(chart.x), {
      ...(tickNames ? { tickFormat: (_: number, i: number) => tickNames[i] ?? '' } : {}),
      label: chart.x.label,
      labelArrow: 'none',
      labelAnchor: 'center',
      color: TEXT_COLOUR,
    }),
    ...chart.series.map(({ points, isDashed, colour }, index) =>
      Plot.line(
        visiblePoints(points).map(([x, y]) => ({ x, y })),
        {
          x: 'x',
          y: 'y',
          stroke: colourOf(colour ?? index),
          strokeWidth: isDashed ? 3.5 : 1.6,
          ...(isDashed
            ? { strokeDasharray: BEHIND_DASHES, strokeOpacity: 0.6 }
            : { strokeDasharray: dashesOf(colour ?? index) }),
        },
      ),
    ),
  ];
}

function barMarks(chart: BarChart): Plot.Markish[] {
  return [
    Plot.axisFx({
      ticks: [...chart.x.ticks],
      anchor: 'bottom',
      label: chart.x.label,
      labelAnchor: 'center',
      color: TEXT_COLOUR,
    }),
    ...chart.series.map(({ name, values }, index) =>
      Plot.barY(
        values.map((value, i) => ({ category: chart.x.categories[i] ?? '', name, value })),
        { fx: 'category', x: 'name', y: 'value', ...barStyle(index) },
      ),
    ),
  ];
}

function plot(chart: Chart, document: SvgDocument): SvgElement {
  const { x, y } = chart;
  return Plot.plot({
    document,
    width: CHART_WIDTH,
    height: heightOf(chart),
    ...MARGINS,
    y: { domain: [y.from, y.to] },
    color: { type: 'identity' },
    ...(chart.kind === 'lines'
      ? { x: { domain: [chart.x.from, chart.x.to] } }
      : {
          x: { axis: null, domain: chart.series.map(({ name }) => name), paddingOuter: 0.4 },
          fx: { domain: [...chart.x.categories], label: x.label, padding: 0 },
        }),
    marks: [...yAxisMarks(chart), ...(chart.kind === 'lines' ? lineMarks(chart) : barMarks(chart))],
  }) as SvgElement;
}

/** Writes title, legend and the label of the y axis into the space above the plot. */
function addHeading(svg: SvgElement, chart: Chart, document: SvgDocument): void {
  const append = (name: string, attributes: Readonly<Record<string, string | number>>, text = ''): void => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    element.setAttribute('text-anchor', 'start');
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    element.textContent = text;
    svg.appendChild(element);
  };
  append('text', { x: 12, y: 20, 'font-size': 14, 'font-weight': 600, fill: TEXT_COLOUR }, chart.title);
  append('text', { x: 12, y: 64, 'font-size': 12, fill: TEXT_COLOUR }, chart.y.label);
  const legend = chart.series.map(({ name }, index) => {
    if (chart.kind === 'bars') {
      const { fill, stroke } = barStyle(index);
      return { name, path: { fill, stroke, 'stroke-width': 1.6 } };
    }
    const { colour = index, isDashed = false } = chart.series[index] ?? {};
    const dashes = isDashed ? BEHIND_DASHES : dashesOf(colour);
    return {
      name,
      path: { stroke: colourOf(colour), 'stroke-width': isDashed ? 3.5 : 2, 'stroke-dasharray': dashes },
    };
  });
  let left = 12;
  for (const { name, path } of legend) {
    append('path', { d: chart.kind === 'bars' ? `M${left} 33h22v10h-22z` : `M${left} 38h30`, ...path });
    append('text', { x: left + 35, y: 42, 'font-size': 12, fill: TEXT_COLOUR }, name);
    // Letters of this size are some 6.5 pixels wide.
    const right = left + Math.round(35 + 6.5 * name.length);
    if (right > CHART_WIDTH)
      throw new RangeError(`The legend of "${chart.title}" does not fit: shorten the names.`);
    left = right + 18;
  }
}

/** What is drawn lies on its axes. */
function checkRange(chart: Chart): void {
  const heights =
    chart.kind === 'bars'
      ? chart.series.flatMap(({ values }) => values)
      : chart.series.flatMap(({ points }) => points.map(([, y]) => y));
  const { from, to } = chart.y;
  const outside = heights.find((height) => height < from || height > to);
  if (outside !== undefined) throw new RangeError(`${outside} leaves the axis of "${chart.title}".`);
}

/** A chart as an element of its own size. */
function createChart(chart: Chart, document: SvgDocument): SvgElement {
  checkRange(chart);
  const svg = plot(chart, document);
  // Plot's own style is for pages: it would set fonts and colours of its class.
  for (const style of svg.querySelectorAll('style')) style.remove();
  svg.removeAttribute('class');
  svg.setAttribute('fill', TEXT_COLOUR);
  addHeading(svg, chart, document);
  return svg;
}

/** Charts, one below the other, as the text of an SVG file 720 pixels wide: the same on each run and machine. */
export function drawCharts(charts: readonly Chart[]): string {
  const { document } = parseHTML('<!doctype html><html><body></body></html>') as { document: SvgDocument };
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const height = charts.reduce((sum, chart) => sum + heightOf(chart), 0);
  for (const [name, value] of [
    ['xmlns', 'http://www.w3.org/2000/svg'],
    ['width', String(CHART_WIDTH)],
    ['height', String(height)],
    ['viewBox', `0 0 ${CHART_WIDTH} ${height}`],
    ['font-family', 'system-ui, sans-serif'],
    ['font-size', '12'],
    ['fill', TEXT_COLOUR],
  ] as const) {
    svg.setAttribute(name, value);
  }
  const style = document.createElementNS('http://www.w3.org/2000/svg', 'style');
  style.textContent = STYLE;
  svg.appendChild(style);
  let top = 0;
  for (const chart of charts) {
    const element = createChart(chart, document);
    element.setAttribute('y', String(top));
    svg.appendChild(element);
    top += heightOf(chart);
  }
  const text = svg
    .toString()
    .replace(/-?\d+\.\d{2,}/g, (number: string) => String(Math.round(Number(number) * 10) / 10));
  return `${text.replaceAll('><', '>\n<')}\n`;
}
