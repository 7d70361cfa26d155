/** How low a household's load falls: its lowest twentieth of the half hours, and its middle one, over its mean. */
import type { LoadColumn, LoadFigures } from './load-figures.ts';
import type { Row } from './row.ts';
import { median, quantile } from './statistics.ts';

const FLOORS = [
  {
    id: 'floor a',
    figure: 'Lowest twentieth of the half hours over the mean',
    column: 'p5_kW',
    // Quartiles of the measured homes.
    range: [0, 0.25],
  },
  { id: 'floor b', figure: 'Median half hour over the mean', column: 'median_kW', range: [0.4, 0.65] },
] as const;

const write = (values: readonly number[]): string =>
  [0.25, 0.5, 0.75].map((part) => quantile(values, part).toFixed(2)).join(', ');

/** The rows. */
export function floorRows(
  homes: readonly { readonly figures: LoadFigures }[],
  measured: ReadonlyMap<LoadColumn, readonly number[]>,
): Row[] {
  return FLOORS.map(({ id, figure, column, range: [from, to] }) => {
    const ours = homes.map(({ figures }) => figures[column] / figures.mean_kW);
    const means = measured.get('mean_kW') ?? [];
    const theirs = (measured.get(column) ?? []).map((value, i) => value / (means[i] ?? NaN));
    const middle = median(ours);
    return {
      id,
      figure: `${figure}, quartiles of ${homes.length} homes`,
      truth: write(theirs),
      source: 'truth/load.csv: 24 homes at 30 min, all of them Australian',
      measured: write(ours),
      accept: `median ${from} to ${to}`,
      verdict: middle >= from && middle <= to ? 'met' : 'missed',
    };
  });
}
