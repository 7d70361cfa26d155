/** A picture of the validation: charts below each other, and in words what they show. */
import { CHART_WIDTH, drawCharts, heightOf } from './charts.ts';
import type { Chart } from './charts.ts';

export interface Picture {
  /** Name of its file, without its ending. */
  readonly name: string;
  /** For those who do not see it. */
  readonly words: string;
  readonly charts: readonly Chart[];
}

/** A picture as the page shows it; sizes in pixels. */
export interface DrawnPicture {
  readonly name: string;
  readonly words: string;
  readonly width: number;
  readonly height: number;
}

/** What the page needs to know of a picture, and its SVG text. */
export function drawPicture({ name, words, charts }: Picture): { shown: DrawnPicture; svg: string } {
  const height = charts.reduce((sum, chart) => sum + heightOf(chart), 0);
  return { shown: { name, words, width: CHART_WIDTH, height }, svg: drawCharts(charts) };
}
