/**
 * The climate of any place: a fit to its latitude, the sea and Europe, and what the nearest measured sites depart from it.
 * The table is made by tools/generate/climate.ts from the sites in tools/validate/truth.
 */
import file from '../../../generated/climate.json' with { type: 'json' };
import {
  CLIMATE_COLUMNS,
  COLUMN_COUNT,
  EARTH_RADIUS_KM,
  FIRST_LIGHT_COLUMN,
  LAPSE_RATES,
  TERM_COUNT,
  fillClimateTerms,
  unitVector,
} from './climate-terms.ts';
import { coastDistanceKm } from './coast.ts';

/** A measured site: where it is, its height in m and, by column, how far it departs from the fit. */
export interface ClimateSite {
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
  /** Unit vector to it. */
  readonly vector: readonly [number, number, number];
  readonly heightM: number;
  readonly residuals: readonly number[];
  /** Whether its light was measured; the columns of light are 0 elsewhere. */
  readonly hasLight: boolean;
}

/** The fit of each column (TERM_COUNT coefficients one after the other) and the sites. */
export interface ClimateTable {
  readonly coefficients: readonly number[];
  readonly sites: readonly ClimateSite[];
}

/** Sites that a place is between, and the distance in km under which they count alike. */
const NEAREST = 8;
const NEAR_KM = 60;

/** Sites whose heights tell how high people live at a place; how sharply the last of them fades out as the next comes. */
const NEAREST_HEIGHTS = 5;
const HEIGHT_TAPER = 6;
/** Part on each side of the middle of the heights that counts. */
const HEIGHT_BAND = 0.15;

/** A site and how far it is, and what it counts. */
interface Neighbour {
  readonly site: ClimateSite;
  readonly km: number;
  weight: number;
}

/** The nearest sites to the place of a unit vector, one more than are used; of all or of those with measured light. */
function nearestSites(
  sites: readonly ClimateSite[],
  [x, y, z]: readonly [number, number, number],
  isLightAsked: boolean,
): Neighbour[] {
  const nearest: Neighbour[] = [];
  /** Square of the longest chord that is among the nearest. */
  let reach = Infinity;
  for (const site of sites) {
    if (isLightAsked && !site.hasLight) continue;
    const [siteX, siteY, siteZ] = site.vector;
    const chord = (siteX - x) ** 2 + (siteY - y) ** 2 + (siteZ - z) ** 2;
    if (chord >= reach) continue;
    const km = EARTH_RADIUS_KM * Math.sqrt(chord);
    let place = nearest.length;
    while (place > 0 && (nearest[place - 1]?.km ?? 0) > km) place--;
    nearest.splice(place, 0, { site, km, weight: 0 });
    if (nearest.length > NEAREST + 1) nearest.pop();
    if (nearest.length > NEAREST) reach = ((nearest[NEAREST]?.km ?? 0) / EARTH_RADIUS_KM) ** 2;
  }
  return nearest;
}

/**
 * The nearest sites with weights that sum to 1 and fall to 0 at the distance of the next one, so that no place is at a seam
 * between two sets of sites.
 */
function weigh(nearest: readonly Neighbour[]): Neighbour[] {
  const reach = nearest[NEAREST]?.km ?? Infinity;
  let total = 0;
  const kept = nearest.slice(0, NEAREST).map(({ site, km }) => {
    const taper = 1 - (km / reach) ** 2;
    const weight = (taper * taper) / (km * km + NEAR_KM * NEAR_KM);
    total += weight;
    return { site, km, weight };
  });
  for (const each of kept) each.weight /= total;
  return kept;
}

/**
 * Height of the place, m: people live where the stations stand. The mean of the middle of the heights, which a lonely
 * mountain does not lift and which has no jumps, as a median has.
 */
function usualHeight(nearest: readonly Neighbour[]): number {
  const reach = nearest[NEAREST_HEIGHTS]?.km ?? Infinity;
  const sorted = nearest
    .slice(0, NEAREST_HEIGHTS)
    .map(({ site, km }) => ({ heightM: site.heightM, weight: 1 - (km / reach) ** HEIGHT_TAPER }))
    .sort((a, b) => a.heightM - b.heightM);
  const total = sorted.reduce((sum, { weight }) => sum + weight, 0);
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
  coefficients: file.coefficients,
  sites: file.sites.map(([name, latitude, longitude, heightM, hasLight, residuals]) => ({
    name: String(name),
    latitude: Number(latitude),
    longitude: Number(longitude),
    vector: unitVector(Number(latitude), Number(longitude)),
    heightM: Number(heightM),
    hasLight: hasLight === 1,
    residuals: residuals as number[],
  })),
};

/** The columns (CLIMATE_COLUMNS) of a place in degrees, in the months of the north; `table`: the one in use. */
export function climateColumnsAt(latitude: number, longitude: number, table = TABLE): Float64Array {
  const terms = new Float64Array(TERM_COUNT);
  fillClimateTerms(latitude, longitude, coastDistanceKm(latitude, longitude), terms);
  const columns = new Float64Array(COLUMN_COUNT);
  for (let column = 0; column < COLUMN_COUNT; column++) {
    let sum = 0;
    for (let term = 0; term < TERM_COUNT; term++) {
      sum += (table.coefficients[column * TERM_COUNT + term] ?? 0) * (terms[term] ?? 0);
    }
    columns[column] = sum;
  }
  const here = unitVector(latitude, longitude);
  const nearest = nearestSites(table.sites, here, false);
  const lit = nearestSites(table.sites, here, true);
  addResiduals(columns, 0, FIRST_LIGHT_COLUMN, weigh(nearest));
  addResiduals(columns, FIRST_LIGHT_COLUMN, COLUMN_COUNT, weigh(lit));
  const height = usualHeight(nearest);
  const { from } = CLIMATE_COLUMNS.temperature;
  for (const [month, lapse] of LAPSE_RATES.entries()) {
    columns[from + month] = (columns[from + month] ?? 0) - (lapse * height) / 1000;
  }
  return columns;
}

function addResiduals(
  columns: Float64Array,
  from: number,
  to: number,
  neighbours: readonly Neighbour[],
): void {
  for (const { site, weight } of neighbours) {
    for (let column = from; column < to; column++) {
      columns[column] = (columns[column] ?? 0) + weight * (site.residuals[column] ?? 0);
    }
  }
}
