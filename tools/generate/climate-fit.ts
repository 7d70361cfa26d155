/** The fit of climates to measured sites: ridge regression, column by column, and what each site departs from it. */
import {
  COLUMN_COUNT,
  FIRST_LIGHT_COLUMN,
  TERM_COUNT,
  fillClimateTerms,
  unitVector,
} from '../../src/simulation/environment/climate-terms.ts';
import type { ClimateTable } from '../../src/simulation/environment/climate-map.ts';
import { coastDistanceKm } from '../../src/simulation/environment/coast.ts';
import { toSeaLevel } from '../validate/climate-sites.ts';
import type { MeasuredSite } from '../validate/climate-sites.ts';

/** Weight of the coefficients' squares against those of the errors. */
const RIDGE = 1e-3;
/** Terms of temperature, of ranges and monthly clearness, and of all other columns: the finer ones have less to go by. */
const CUBE_TERM = 3;
const FIRST_EUROPE_TERM = 6;

function termsOf(column: number): number[] {
  const all = Array.from({ length: TERM_COUNT }, (_, i) => i);
  if (column < 12) return all;
  const isMonthly = column < 24 || (column >= FIRST_LIGHT_COLUMN && column < FIRST_LIGHT_COLUMN + 12);
  return all.filter((term) => term !== CUBE_TERM && (isMonthly || term < FIRST_EUROPE_TERM));
}

/** Solves a symmetric positive definite system, rows with the right side as their last number, by elimination. */
function solve(rows: readonly Float64Array[]): number[] {
  const size = rows.length;
  for (const [pivot, pivotRow] of rows.entries()) {
    for (const row of rows.slice(pivot + 1)) {
      const factor = (row[pivot] ?? 0) / (pivotRow[pivot] ?? 1);
      for (let i = pivot; i <= size; i++) row[i] = (row[i] ?? 0) - factor * (pivotRow[i] ?? 0);
    }
  }
  const solution = new Array<number>(size).fill(0);
  for (let i = size - 1; i >= 0; i--) {
    const row = rows[i] ?? new Float64Array();
    const known = solution.reduce((sum, value, j) => sum + (j > i ? value * (row[j] ?? 0) : 0), 0);
    solution[i] = ((row[size] ?? 0) - known) / (row[i] ?? 1);
  }
  return solution;
}

/** Coefficients of the terms `used` that fit `values` at the sites' terms. */
function regress(
  terms: readonly Float64Array[],
  values: readonly number[],
  used: readonly number[],
): number[] {
  const rows = used.map((i) => {
    const products = used.map(
      (j) => terms.reduce((sum, row) => sum + (row[i] ?? 0) * (row[j] ?? 0), 0) + (i === j ? RIDGE : 0),
    );
    return Float64Array.of(
      ...products,
      terms.reduce((sum, row, site) => sum + (row[i] ?? 0) * (values[site] ?? 0), 0),
    );
  });
  return solve(rows);
}

const toDigits = (value: number, digits: number): number => Number(value.toFixed(digits));

/** The table of climates that the sites give. */
export function fitClimate(sites: readonly MeasuredSite[]): ClimateTable {
  const terms = sites.map(({ latitude, longitude }) => {
    const row = new Float64Array(TERM_COUNT);
    fillClimateTerms(latitude, longitude, coastDistanceKm(latitude, longitude), row);
    return row;
  });
  const values = sites.map(({ columns, heightM }) => toSeaLevel(columns, heightM));
  const coefficients = new Float64Array(COLUMN_COUNT * TERM_COUNT);
  const residuals = sites.map(() => new Float64Array(COLUMN_COUNT));
  for (let column = 0; column < COLUMN_COUNT; column++) {
    const fitted = sites.flatMap(({ hasLight }, i) => (hasLight || column < FIRST_LIGHT_COLUMN ? [i] : []));
    const used = termsOf(column);
    const found = regress(
      fitted.map((i) => terms[i] ?? new Float64Array()),
      fitted.map((i) => values[i]?.[column] ?? 0),
      used,
    );
    for (const [i, term] of used.entries())
      coefficients[column * TERM_COUNT + term] = toDigits(found[i] ?? 0, 5);
    for (const i of fitted) {
      const expected = used.reduce(
        (sum, term) => sum + (coefficients[column * TERM_COUNT + term] ?? 0) * (terms[i]?.[term] ?? 0),
        0,
      );
      const departures = residuals[i];
      if (departures) departures[column] = toDigits((values[i]?.[column] ?? 0) - expected, 4);
    }
  }
  return {
    coefficients,
    sites: sites.map(({ name, latitude, longitude, heightM, hasLight }, i) => ({
      name,
      latitude,
      longitude,
      vector: unitVector(latitude, longitude),
      heightM,
      hasLight,
      residuals: residuals[i] ?? new Float64Array(COLUMN_COUNT),
    })),
  };
}
