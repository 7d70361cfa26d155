/** Homes measured by others beside simulated ones: each column of truth/load.csv. */
import { LOAD_COLUMNS, distributionDistance, loadFigures } from './load-figures.ts';
import type { LoadColumn, LoadFigures } from './load-figures.ts';
import { measuredHomes } from './measured-loads.ts';
import { FIRST_WEEKDAY, halfHourPowers, loadHouseholds, loadOf } from './simulated-loads.ts';
import { quantile } from './statistics.ts';

const HOMES = 200;

export interface SimulatedHome {
  /** Powers of half hours, kW. */
  readonly powers: readonly number[];
  readonly figures: LoadFigures;
  /** Energy of the year over that asked. */
  readonly energyRatio: number;
}

/** A year of homes of the default mix. */
export function simulatedHomes(): SimulatedHome[] {
  return loadHouseholds({ count: HOMES }).map((household) => {
    const load = loadOf(household);
    const powers = halfHourPowers(load);
    const energy = load.reduce((sum, value) => sum + value, 0);
    return {
      powers,
      figures: loadFigures(powers, FIRST_WEEKDAY),
      energyRatio: energy / (household.load_annual_kwh * 1e6),
    };
  });
}

/** A column of the measured homes: quartiles of both, and the largest distance of the distributions (0..1). */
export interface ColumnComparison {
  readonly column: LoadColumn;
  readonly measured: readonly number[];
  readonly simulated: readonly number[];
  readonly distance: number;
}

/** The columns, the worst first. */
export function compareHomes(homes: readonly SimulatedHome[]): ColumnComparison[] {
  const measured = measuredHomes();
  const quartilesOf = (values: readonly number[]): number[] =>
    [0.25, 0.5, 0.75].map((part) => quantile(values, part));
  const compared = LOAD_COLUMNS.map((column) => {
    const theirs = measured.get(column) ?? [];
    const ours = homes.map(({ figures }) => figures[column]);
    return {
      column,
      measured: quartilesOf(theirs),
      simulated: quartilesOf(ours),
      distance: distributionDistance(theirs, ours),
    };
  });
  return compared.sort((a, b) => b.distance - a.distance);
}
