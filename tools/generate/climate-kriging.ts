/**
 * Kriging of a climate's columns: what a site shares with its neighbours is told from what is its own chance, since a
 * figure of one year, a correlation above all, is as much chance as climate.
 */
import { EARTH_RADIUS_KM, TERM_COUNT, influenceAt } from '../../src/simulation/environment/climate-terms.ts';
import { solve } from './linear-system.ts';

/** How a kind of column is spread over the earth. */
export interface Spread {
  /** Part of the variance that neighbours do not share. */
  readonly chance: number;
  /** Terms that it is fitted with, and the variance that each may bring, against that of the column. */
  readonly terms: readonly number[];
  readonly termVariance: number;
}

/** Variance of the mean over all the earth, which is hardly known beforehand, against that of the column. */
const MEAN_VARIANCE = 25;

/** Sites by their unit vectors and terms. */
export interface KrigedSites {
  readonly vectors: readonly (readonly [number, number, number])[];
  readonly terms: readonly Float64Array[];
}

/** Coefficients of all terms, and by site how much it pulls at a place, times influenceAt its distance. */
interface Kriged {
  readonly coefficients: Float64Array;
  readonly pulls: Float64Array;
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** A term at the sites, less its mean and over its standard deviation. */
function standardise(term: number, rows: readonly Float64Array[]) {
  const values = rows.map((row) => row[term] ?? 0);
  const mean = meanOf(values);
  const scale = Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2))) || 1;
  return { term, mean, scale, values: values.map((value) => (value - mean) / scale) };
}

/** Columns of one kind, each by its values at the sites. */
export function krige(
  { vectors, terms }: KrigedSites,
  columns: readonly (readonly number[])[],
  { chance, terms: used, termVariance }: Spread,
): Kriged[] {
  const standard = used.map((term) => standardise(term, terms));
  const means = columns.map(meanOf);
  const rows = vectors.map((here, i) => {
    const covariances = vectors.map((there, j) => {
      const chord = Math.hypot(here[0] - there[0], here[1] - there[1], here[2] - there[2]);
      const ofTerms = standard.reduce((sum, { values }) => sum + (values[i] ?? 0) * (values[j] ?? 0), 0);
      const shared = (1 - chance) * influenceAt(EARTH_RADIUS_KM * chord);
      return MEAN_VARIANCE + termVariance * ofTerms + shared + (i === j ? chance : 0);
    });
    return Float64Array.of(...covariances, ...columns.map((values, k) => (values[i] ?? 0) - (means[k] ?? 0)));
  });
  return solve(rows).map((weights, k) => {
    const coefficients = new Float64Array(TERM_COUNT);
    coefficients[0] = (means[k] ?? 0) + MEAN_VARIANCE * weights.reduce((sum, weight) => sum + weight, 0);
    for (const { term, mean, scale, values } of standard) {
      const coefficient =
        (termVariance * weights.reduce((sum, weight, i) => sum + weight * (values[i] ?? 0), 0)) / scale;
      coefficients[term] = coefficient;
      coefficients[0] -= coefficient * mean;
    }
    return { coefficients, pulls: weights.map((weight) => (1 - chance) * weight) };
  });
}
