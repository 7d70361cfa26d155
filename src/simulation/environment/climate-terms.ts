/**
 * What the climate of a place is fitted with: its latitude, its distance from the coast, how far it is in Europe, and the
 * sites near it. The fit (tools/generate/climate-fit.ts) and the map of climates use the same terms.
 */

/** Columns of the table of climates, each a run of numbers of a place; months and seasons are those of the north. */
export const CLIMATE_COLUMNS = {
  /** Mean temperature of each month at sea level, C. */
  temperature: { from: 0, count: 12 },
  /** Logarithm of the mean daily range of each month, K. */
  logRange: { from: 12, count: 12 },
  /** Standard deviation of the daily mean in winter and in summer, K. */
  spread: { from: 24, count: 2 },
  /** Autocorrelation of the daily mean after one and two days. */
  memory: { from: 26, count: 2 },
  /** Global irradiation of each month over that at the top of the atmosphere. */
  clearness: { from: 28, count: 12 },
  /** Standard deviation of the daily clearness in winter and in summer. */
  clearnessSpread: { from: 40, count: 2 },
  /** Autocorrelation of the daily clearness after a day. */
  clearnessMemory: { from: 42, count: 1 },
  /** Correlation of the daily clearness with the day's mean temperature in winter and in summer, and with its range. */
  clearnessWarmth: { from: 43, count: 2 },
  clearnessRange: { from: 45, count: 1 },
} as const;

/** Number of columns, the first of those that are kriged, and of those that come from measured light alone. */
export const COLUMN_COUNT = 46;
export const FIRST_KRIGED_COLUMN = 24;
export const FIRST_LIGHT_COLUMN = 28;

/** Number of terms of the fit. */
export const TERM_COUNT = 9;

/** Mean radius of the earth, km, and the length of a degree on it. */
export const EARTH_RADIUS_KM = 6371;
const RADIANS = Math.PI / 180;

/** Distance over which climates that are kriged become 2.7 times less alike, km. */
const KRIGING_KM = 1000;

/** How much a site tells of a place so many km away, 0 to 1. */
export const influenceAt = (km: number): number => Math.exp(-km / KRIGING_KM);

/** How much warmer the air of each month is for each km of height that one descends, K. */
export const LAPSE_RATES = [4.5, 5, 5.8, 6.2, 6.3, 6.4, 6.3, 6.1, 5.7, 5.1, 4.6, 4.4] as const;

const clamp01 = (x: number): number => Math.min(1, Math.max(0, x));
const smoothstep = (x: number): number => x * x * (3 - 2 * x);
const rampUp = (x: number, from: number, to: number): number => smoothstep(clamp01((x - from) / (to - from)));

/** How far a place belongs to Europe, 0 to 1, without a step at its borders; degrees. */
function europeShare(latitude: number, longitude: number): number {
  return rampUp(latitude, 32, 37) * rampUp(longitude, -35, -20) * (1 - rampUp(longitude, 35, 60));
}

/** Writes the terms of a place (degrees; km from the coast) into `terms`. */
export function fillClimateTerms(
  latitude: number,
  longitude: number,
  coastKm: number,
  terms: Float64Array,
): void {
  const x = Math.abs(Math.sin(latitude * RADIANS));
  const inland = Math.log(1 + coastKm / 50);
  const europe = europeShare(latitude, longitude);
  terms[0] = 1;
  terms[1] = x;
  terms[2] = x * x;
  terms[3] = x * x * x;
  terms[4] = inland;
  terms[5] = inland * x;
  terms[6] = europe;
  terms[7] = (europe * (latitude - 48)) / 10;
  terms[8] = (europe * Math.min(40, Math.max(-12, longitude))) / 10;
}

/** The unit vector to a place in degrees from the middle of the earth. */
export function unitVector(latitude: number, longitude: number): readonly [number, number, number] {
  const [phi, lambda] = [latitude * RADIANS, longitude * RADIANS];
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
}
