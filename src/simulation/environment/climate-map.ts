/**
 * The climate of any place: a fit to its latitude, the sea and Europe, and what the nearest measured sites depart from it.
 * The table is made by tools/generate/climate.ts from the sites in tools/validate/truth.
 */
import file from '../../../generated/climate.json' with { type: 'json' };
import {
  CLIMATE_COLUMNS,
  COLUMN_COUNT,
  EARTH_RADIUS_KM,
  FIRST_KRIGED_COLUMN,
  LAPSE_RATES,
  TERM_COUNT,
  fillClimateTerms,
  influenceAt,
  unitVector,
} from './climate-terms.ts';
import { coastDistanceKm } from './coast.ts';

/**
 * A measured site: where it is, its height in m and, by column, how far it departs from the fit, or from FIRST_KRIGED_COLUMN
 * on how much it pulls at a place (times influenceAt its distance).
 */
export interface ClimateSite {
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
  /** Unit vector to it. */
  readonly vector: readonly [number, number, number];
  readonly heightM: number;
  readonly residuals: Float64Array;
}

/** The fit of each column (TERM_COUNT coefficients one after the other) and the sites. */
export interface ClimateTable {
  readonly coefficients: Float64Array;
  readonly sites: readonly ClimateSite[];
}

/** Sites that a place is between, and the distance in km under which they count alike. */
const NEAREST = 8;
const NEAR_KM = 60;
/** A site that tells less of a place is left out: what it pulls is less than the digits of the table. */
const LEAST_INFLUENCE = 1e-5;

/** Sites whose heights tell how high people live at a place; how sharply the last of them fades out as the next comes. */
const NEAREST_HEIGHTS = 5;
const HEIGHT_TAPER = 6;
/** Part on each side of the middle of the heights that counts. */
const HEIGHT_BAND = 0.15;

/** Sites near a place, nearest first, one more than are used; written over by the next search. */
class NearestSites {
  count = 0;
  readonly sites = new Int32Array(NEAREST + 2);
  /** Squares of the chords to them, parts of the earth's radius. */
  readonly chords = new Float64Array(NEAREST + 2);
  readonly weights = new Float64Array(NEAREST);

  /** Takes a site in if it is among the nearest so far. */
  add(site: number, chord: number): void {
    const { sites, chords } = this;
    if (this.count > NEAREST && chord >= (chords[NEAREST] ?? 0)) return;
    let place = Math.min(this.count, NEAREST);
    for (; place > 0 && (chords[place - 1] ?? 0) > chord; place--) {
      sites[place] = sites[place - 1] ?? 0;
      chords[place] = chords[place - 1] ?? 0;
    }
    sites[place] = site;
    chords[place] = chord;
    this.count = Math.min(this.count + 1, NEAREST + 1);
  }

  /** Square of the distance in km of the nearest but `place`; Infinity where there is none. */
  squaredKm(place: number): number {
    return place < this.count ? EARTH_RADIUS_KM * EARTH_RADIUS_KM * (this.chords[place] ?? 0) : Infinity;
  }

  /**
   * Sets weights that sum to 1 and fall to 0 at the distance of the next site, so that no place is at a seam between two
   * sets of sites.
   */
  weigh(): void {
    const { weights } = this;
    const reach = this.squaredKm(NEAREST);
    const used = Math.min(NEAREST, this.count);
    let total = 0;
    for (let i = 0; i < used; i++) {
      const km2 = this.squaredKm(i);
      const taper = 1 - km2 / reach;
      weights[i] = (taper * taper) / (km2 + NEAR_KM * NEAR_KM);
      total += weights[i] ?? 0;
    }
    for (let i = 0; i < used; i++) weights[i] = (weights[i] ?? 0) / total;
  }
}

const nearest = new NearestSites();

/** Finds the sites near the place of a unit vector, and adds what all sites pull at it to its columns. */
function findSites(
  sites: readonly ClimateSite[],
  [x, y, z]: readonly [number, number, number],
  columns: Float64Array,
): void {
  nearest.count = 0;
  for (let i = 0; i < sites.length; i++) {
    const site = sites[i];
    if (!site) continue;
    const { vector, residuals } = site;
    const chord = (vector[0] - x) ** 2 + (vector[1] - y) ** 2 + (vector[2] - z) ** 2;
    nearest.add(i, chord);
    const influence = influenceAt(EARTH_RADIUS_KM * Math.sqrt(chord));
    if (influence < LEAST_INFLUENCE) continue;
    for (let column = FIRST_KRIGED_COLUMN; column < COLUMN_COUNT; column++) {
      columns[column] = (columns[column] ?? 0) + influence * (residuals[column] ?? 0);
    }
  }
  nearest.weigh();
}

/**
 * Height of the place, m: people live where the stations stand. The mean of the middle of the heights, which a lonely
 * mountain does not lift and which has no jumps, as a median has.
 */
function usualHeight(sites: readonly ClimateSite[]): number {
  const reach = nearest.squaredKm(NEAREST_HEIGHTS);
  const sorted: { heightM: number; weight: number }[] = [];
  let total = 0;
  for (let i = 0; i < Math.min(NEAREST_HEIGHTS, nearest.count); i++) {
    const heightM = sites[nearest.sites[i] ?? 0]?.heightM ?? 0;
    const weight = 1 - (nearest.squaredKm(i) / reach) ** (HEIGHT_TAPER / 2);
    total += weight;
    let place = i;
    for (; place > 0 && (sorted[place - 1]?.heightM ?? 0) > heightM; place--);
    sorted.splice(place, 0, { heightM, weight });
  }
  const [from, to] = [total * (0.5 - HEIGHT_BAND), total * (0.5 + HEIGHT_BAND)];
  let below = 0;
  let height = 0;
  for (const { heightM, weight } of sorted) {
    height += heightM * Math.max(0, Math.min(to, below + weight) - Math.max(from, below));
    below += weight;
  }
  return height / (to - from);
}

const TABLE: ClimateTable = {
  coefficients: Float64Array.from(file.coefficients),
  sites: file.sites.map(([name, latitude, longitude, heightM, residuals]) => ({
    name: String(name),
    latitude: Number(latitude),
    longitude: Number(longitude),
    vector: unitVector(Number(latitude), Number(longitude)),
    heightM: Number(heightM),
    residuals: Float64Array.from(residuals as number[]),
  })),
};

const terms = new Float64Array(TERM_COUNT);

/** The columns (CLIMATE_COLUMNS) of a place in degrees, in the months of the north; `table`: the one in use. */
export function climateColumnsAt(latitude: number, longitude: number, table = TABLE): Float64Array {
  const { coefficients, sites } = table;
  fillClimateTerms(latitude, longitude, coastDistanceKm(latitude, longitude), terms);
  const columns = new Float64Array(COLUMN_COUNT);
  for (let column = 0; column < COLUMN_COUNT; column++) {
    let sum = 0;
    for (let term = 0; term < TERM_COUNT; term++) {
      sum += (coefficients[column * TERM_COUNT + term] ?? 0) * (terms[term] ?? 0);
    }
    columns[column] = sum;
  }
  findSites(sites, unitVector(latitude, longitude), columns);
  addResiduals(columns, sites);
  const height = usualHeight(sites);
  const { from } = CLIMATE_COLUMNS.temperature;
  for (let month = 0; month < LAPSE_RATES.length; month++) {
    columns[from + month] = (columns[from + month] ?? 0) - ((LAPSE_RATES[month] ?? 0) * height) / 1000;
  }
  return columns;
}

/** Adds what the nearest sites depart from the fit to the columns that are not kriged. */
function addResiduals(columns: Float64Array, sites: readonly ClimateSite[]): void {
  for (let i = 0; i < Math.min(NEAREST, nearest.count); i++) {
    const weight = nearest.weights[i] ?? 0;
    const residuals = sites[nearest.sites[i] ?? 0]?.residuals;
    if (!residuals) continue;
    for (let column = 0; column < FIRST_KRIGED_COLUMN; column++) {
      columns[column] = (columns[column] ?? 0) + weight * (residuals[column] ?? 0);
    }
  }
}
