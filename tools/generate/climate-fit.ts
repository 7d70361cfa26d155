/**
 * The fit of climates to measured sites. Monthly temperatures and ranges: ridge regression, column by column, and what each
 * site departs from it. All other columns: kriging.
 */
import {
  COLUMN_COUNT,
  FIRST_KRIGED_COLUMN,
  FIRST_LIGHT_COLUMN,
  TERM_COUNT,
  fillClimateTerms,
  unitVector,
} from '../../src/simulation/environment/climate-terms.ts';
import type { ClimateTable } from '../../src/simulation/environment/climate-map.ts';
import { coastDistanceKm } from '../../src/simulation/environment/coast.ts';
import { toSeaLevel } from '../validate/climate-sites.ts';
import type { MeasuredSite } from '../validate/climate-sites.ts';
import { krige } from './climate-kriging.ts';
import type { Spread } from './climate-kriging.ts';
import { solve } from './linear-system.ts';

/** Weight of the coefficients' squares against those of the errors. */
const RIDGE = 1e-3;
/** Terms of temperatures, and of ranges, which have less to go by. */
const CUBE_TERM = 3;
const ALL_TERMS = Array.from({ length: TERM_COUNT }, (_, term) => term);
const RANGE_TERMS = ALL_TERMS.filter((term) => term !== CUBE_TERM);
const MONTHS = 12;

/** Monthly clearness follows the latitude, other columns the distance from the sea too; half of what is left is chance. */
const MONTHLY_CLEARNESS: Spread = { chance: 0.2, terms: [1, 2], termVariance: 2 };
const SCATTER: Spread = { chance: 0.3, terms: [1, 2, 4, 5], termVariance: 0.5 };

/** Coefficients of the terms `used` that fit `values` at the sites' terms. */
function regress(
  terms: readonly Float64Array[],
  values: readonly number[],
  used: readonly number[],
): Float64Array {
  const rows = used.map((i) => {
    const products = used.map(
      (j) => terms.reduce((sum, row) => sum + (row[i] ?? 0) * (row[j] ?? 0), 0) + (i === j ? RIDGE : 0),
    );
    return Float64Array.of(
      ...products,
      terms.reduce((sum, row, site) => sum + (row[i] ?? 0) * (values[site] ?? 0), 0),
    );
  });
  return solve(rows)[0] ?? new Float64Array();
}

const toDigits = (value: number, digits: number): number => Number(value.toFixed(digits));

/** A site with what it is fitted by: its columns at sea level, and what it will tell of each. */
interface FittedSite {
  readonly site: MeasuredSite;
  readonly terms: Float64Array;
  readonly vector: readonly [number, number, number];
  readonly values: Float64Array;
  readonly residuals: Float64Array;
}

function prepare(site: MeasuredSite): FittedSite {
  const { latitude, longitude, columns, heightM } = site;
  const terms = new Float64Array(TERM_COUNT);
  fillClimateTerms(latitude, longitude, coastDistanceKm(latitude, longitude), terms);
  return {
    site,
    terms,
    vector: unitVector(latitude, longitude),
    values: toSeaLevel(columns, heightM),
    residuals: new Float64Array(COLUMN_COUNT),
  };
}

/** Fits a column by regression: coefficients, and in each site what it departs from them. */
function fitColumn(sites: readonly FittedSite[], column: number, coefficients: Float64Array): void {
  const used = column < MONTHS ? ALL_TERMS : RANGE_TERMS;
  const found = regress(
    sites.map(({ terms }) => terms),
    sites.map(({ values }) => values[column] ?? 0),
    used,
  );
  for (const [i, term] of used.entries()) {
    coefficients[column * TERM_COUNT + term] = toDigits(found[i] ?? 0, 5);
  }
  for (const { terms, values, residuals } of sites) {
    const expected = ALL_TERMS.reduce(
      (sum, term) => sum + (coefficients[column * TERM_COUNT + term] ?? 0) * (terms[term] ?? 0),
      0,
    );
    residuals[column] = toDigits((values[column] ?? 0) - expected, 4);
  }
}

/** Kriges the columns `from` to `to`: coefficients, and in each site how much it pulls. */
function krigeColumns(
  sites: readonly FittedSite[],
  [from, to]: readonly [number, number],
  spread: Spread,
  coefficients: Float64Array,
): void {
  const known = { vectors: sites.map(({ vector }) => vector), terms: sites.map(({ terms }) => terms) };
  const columns = Array.from({ length: to - from }, (_, i) =>
    sites.map(({ values }) => values[from + i] ?? 0),
  );
  for (const [i, kriged] of krige(known, columns, spread).entries()) {
    for (const [term, coefficient] of kriged.coefficients.entries()) {
      coefficients[(from + i) * TERM_COUNT + term] = toDigits(coefficient, 5);
    }
    for (const [place, { residuals }] of sites.entries()) {
      residuals[from + i] = toDigits(kriged.pulls[place] ?? 0, 5);
    }
  }
}

/** The table of climates that the sites give. */
export function fitClimate(sites: readonly MeasuredSite[]): ClimateTable {
  const fitted = sites.map(prepare);
  const lit = fitted.filter(({ site }) => site.hasLight);
  const coefficients = new Float64Array(COLUMN_COUNT * TERM_COUNT);
  const lastClearness = FIRST_LIGHT_COLUMN + MONTHS;
  for (let column = 0; column < FIRST_KRIGED_COLUMN; column++) fitColumn(fitted, column, coefficients);
  krigeColumns(fitted, [FIRST_KRIGED_COLUMN, FIRST_LIGHT_COLUMN], SCATTER, coefficients);
  krigeColumns(lit, [FIRST_LIGHT_COLUMN, lastClearness], MONTHLY_CLEARNESS, coefficients);
  krigeColumns(lit, [lastClearness, COLUMN_COUNT], SCATTER, coefficients);
  return {
    coefficients,
    sites: fitted.map(({ site: { name, latitude, longitude, heightM }, vector, residuals }) => ({
      name,
      latitude,
      longitude,
      vector,
      heightM,
      residuals,
    })),
  };
}
