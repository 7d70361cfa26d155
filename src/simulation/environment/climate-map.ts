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
/** A distance under which all sites are. */
const FAR_KM = 1e6;

/** Sites whose heights tell how high people live at a place. */
const NEAREST_HEIGHTS = 6;

/** A site and how far it is, and what it counts. */
interface Neighbour {
  readonly site: ClimateSite;
  readonly km: number;
  weight: number;
}

/** The nearest sites to a place in degrees, one more than are used; of those with measured light or of all. */
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
 * The nearest `count` of sites in order of distance, with weights that sum to 1 and fall to 0 at the distance of the next
 * one, so that no place is at a seam between two sets of sites; `nearKm`: under this distance they count alike.
 */
function weigh(nearest: readonly Neighbour[], count: number, nearKm: number): Neighbour[] {
  const reach = nearest[count]?.km ?? Infinity;
  let total = 0;
  const kept = nearest.slice(0, count).map(({ site, km }) => {
    const taper = 1 - (km / reach) ** 2;
    const weight = (taper * taper) / (km * km + nearKm * nearKm);
    total += weight;
    return { site, km, weight };
  });
  for (const each of kept) each.weight /= total;
  return kept;
}

/** Weighted median of the heights of sites, a straight line between them: people live where the stations stand. */
function medianHeight(neighbours: readonly Neighbour[]): number {
  const sorted = [...neighbours].sort((a, b) => a.site.heightM - b.site.heightM);
  let below = 0;
  let [lastShare, lastHeight] = [0, sorted[0]?.site.heightM ?? 0];
  for (const { site, weight } of sorted) {
    const share = below + weight / 2;
    if (share >= 0.5) {
      const part = share === lastShare ? 0 : (0.5 - lastShare) / (share - lastShare);
      return lastHeight + (site.heightM - lastHeight) * Math.max(0, part);
    }
    below += weight;
    [lastShare, lastHeight] = [share, site.heightM];
  }
  return lastHeight;
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
  addResiduals(columns, 0, FIRST_LIGHT_COLUMN, weigh(nearest, NEAREST, NEAR_KM));
  addResiduals(columns, FIRST_LIGHT_COLUMN, COLUMN_COUNT, weigh(lit, NEAREST, NEAR_KM));
  // Heights count alike: by distance, a mountain nearby would lift the valley.
  const height = medianHeight(weigh(nearest, NEAREST_HEIGHTS, FAR_KM));
  const { from } = CLIMATE_COLUMNS.temperature;
  for (const [month, lapse] of LAPSE_RATES.entries()) {
    columns[from + month] = (columns[from + month] ?? 0) - (lapse * height) / 1000;
  }
  return columns;
}

function addResiduals(columns: Float64Array, from: number, to: number, neighbours: readonly Neighbour[]): void {
  for (const { site, weight } of neighbours) {
    for (let column = from; column < to; column++) {
      columns[column] = (columns[column] ?? 0) + weight * (site.residuals[column] ?? 0);
    }
  }
}
