/** Small charts as SVG text: presentation attributes only, so that they need no style under the pages' CSP. */

const WIDTH = 720;
const HEIGHT = 320;
const LEFT = 56;
const RIGHT = 150;
const TOP = 34;
const BOTTOM = 42;
const COLOURS = ['#1f5fa8', '#c2571a', '#2e7d4f', '#8a4fa3', '#8c6d1f', '#5b6570'];

export interface Axis {
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly dashed?: boolean;
  /** Index of the colour; that of the series by default. */
  readonly colour?: number;
}

export interface Chart {
  readonly title: string;
  readonly kind: 'lines' | 'bars';
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
  /** Names of x in place of numbers. */
  readonly names?: readonly string[];
}

const number = (value: number): string => String(Math.round(value * 10) / 10);
const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function text(x: number, y: number, content: string, anchor = 'middle'): string {
  return `<text x="${number(x)}" y="${number(y)}" text-anchor="${anchor}">${escape(content)}</text>`;
}

/** The chart as an SVG file. */
export function drawChart(chart: Chart): string {
  const { x, y } = chart;
  const across = (value: number) => LEFT + ((value - x.from) / (x.to - x.from)) * (WIDTH - LEFT - RIGHT);
  const down = (value: number) =>
    HEIGHT - BOTTOM - ((value - y.from) / (y.to - y.from)) * (HEIGHT - TOP - BOTTOM);
  const parts = [text(WIDTH / 2, 18, chart.title)];
  for (let tick = y.from; tick <= y.to + 1e-9; tick += y.step) {
    const at = number(down(tick));
    parts.push(
      `<path d="M${LEFT} ${at}H${WIDTH - RIGHT}" stroke="#dde1e6"/>`,
      text(LEFT - 6, down(tick) + 4, number(tick), 'end'),
    );
  }
  for (let tick = x.from; tick <= x.to + 1e-9; tick += x.step) {
    const name = chart.names ? chart.names[Math.round(tick)] : number(tick);
    if (name !== undefined) parts.push(text(across(tick), HEIGHT - BOTTOM + 16, name));
  }
  parts.push(
    text(LEFT + (WIDTH - LEFT - RIGHT) / 2, HEIGHT - 8, x.label),
    text(8, TOP - 10, y.label, 'start'),
  );
  for (const [index, series] of chart.series.entries()) {
    const colour = COLOURS[(series.colour ?? index) % COLOURS.length] ?? '';
    parts.push(
      ...(chart.kind === 'lines'
        ? [line(series, colour, across, down)]
        : bars(chart, index, colour, across, down)),
      `<path d="M${WIDTH - RIGHT + 12} ${TOP + 14 + 20 * index}h18" stroke="${colour}" stroke-width="3"${dashes(series)}/>`,
      text(WIDTH - RIGHT + 36, TOP + 18 + 20 * index, series.name, 'start'),
    );
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif" font-size="12" fill="#2b333b">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

const dashes = (series: Series): string => (series.dashed ? ' stroke-dasharray="5 4"' : '');

type Scale = (value: number) => number;

function line(series: Series, colour: string, across: Scale, down: Scale): string {
  const path = series.points
    .map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${number(across(x))} ${number(down(y))}`)
    .join('');
  return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="1.6"${dashes(series)}/>`;
}

function bars(chart: Chart, index: number, colour: string, across: Scale, down: Scale): string[] {
  const group = (across(1) - across(0)) * 0.8;
  const width = group / chart.series.length;
  return (chart.series[index]?.points ?? []).map(([x, y]) => {
    const left = across(x) - group / 2 + index * width;
    const top = down(y);
    const height = down(chart.y.from) - top;
    return `<rect x="${number(left)}" y="${number(top)}" width="${number(width)}" height="${number(height)}" fill="${colour}"/>`;
  });
}
