/** Weather of a place at an instant: air temperature and clouds, shared by neighbours (simulation.md B2, B3). */
import { CHANNEL, noise3 } from './noise.ts';
import type { Seed } from './noise.ts';
import { dayOfYear } from './zone.ts';

/** Bound once: under a test runner's context each use of a global is a slow lookup. */
const { PI, abs, cos, floor, max, min, sin } = Math;

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export interface Climate {
  /** Yearly mean in degrees Celsius. */
  readonly meanC: number;
  /** Half the span between warmest and coldest day of the norm year, K. */
  readonly amplitudeK: number;
  /** Day of the year on which the norm year is warmest. */
  readonly warmestDay: number;
}

/** Fits to Berkeley Earth means: Europe for 34..72 N, 25 W..45 E, else the world (B3); +1 K, since people live in valleys. */
export function climateOf(latitude: number, longitude: number): Climate {
  if (latitude >= 34 && latitude <= 72 && longitude >= -25 && longitude <= 45) {
    return {
      meanC: 1 + 9.35 - 0.46 * (latitude - 50) - 0.04 * (longitude - 10),
      amplitudeK: 9.33 + 0.024 * (latitude - 50) + 0.14 * (longitude - 10),
      warmestDay: 200,
    };
  }
  const sine = sin((latitude * PI) / 180);
  const amplitudeK = latitude >= 0 ? max(0, 0.302 * latitude - 0.5) : 0.63 + 0.106 * -latitude;
  return {
    meanC: 1 + 16.3 - 22.4 * ((3 * sine * sine - 1) / 2),
    amplitudeK,
    warmestDay: latitude >= 0 ? 200 : 200 + 182,
  };
}

/** Temperature of the norm year on a day (days since 1970), without weather and time of day, C. */
export function normTemperature(climate: Climate, day: number): number {
  const angle = (2 * PI * (dayOfYear(day) - climate.warmestDay)) / 365.25;
  return climate.meanC + climate.amplitudeK * cos(angle);
}

/** Departure of a few days' weather from the norm, K; SD about 3 in winter, 2 in summer. */
function spell(seed: Seed, atMs: number, latitude: number, longitude: number, climate: Climate): number {
  const hours = atMs / HOUR_MS;
  const x = (longitude - 0.45 * hours) / 12;
  const warmth = noise3(seed, CHANNEL.warmth, latitude / 8, x, hours / 96) - 0.5;
  const winter = -cos((2 * PI * (dayOfYear(floor(atMs / DAY_MS)) - climate.warmestDay)) / 365.25);
  return warmth * (14 + 3 * winter);
}

/** Mean temperature of a UTC day (days since 1970) with its weather, C. */
export function dayTemperature(
  seed: Seed,
  climate: Climate,
  day: number,
  latitude: number,
  longitude: number,
): number {
  return normTemperature(climate, day) + spell(seed, (day + 0.5) * DAY_MS, latitude, longitude, climate);
}

/** Outdoor temperature at an instant, C; warmest at 15 h solar time, ± 4 K. */
export function temperature(
  seed: Seed,
  climate: Climate,
  atMs: number,
  latitude: number,
  longitude: number,
): number {
  const day = atMs / DAY_MS - 0.5;
  const left = floor(day);
  const from = normTemperature(climate, left);
  const norm = from + (normTemperature(climate, left + 1) - from) * (day - left);
  const solarHour = (atMs / HOUR_MS + longitude / 15) % 24;
  const daily = 4 * cos((2 * PI * (solarHour - 15)) / 24);
  return norm + spell(seed, atMs, latitude, longitude, climate) + daily;
}

/** Mean clear-sky index aimed at: by latitude, higher in summer (fit of a prototype to measured yields, B2). */
export function meanClearness(latitude: number, day: number): number {
  const away = abs(latitude);
  const base = away <= 38 ? 0.72 : max(0.51, 0.72 - 0.0175 * (away - 38));
  const phase = latitude >= 0 ? 0 : 182;
  const season = cos((2 * PI * (dayOfYear(day) - 182 - phase)) / 365);
  return base + 0.02 + (away < 35 ? 0.02 : 0.1) * season;
}

/** Clear-sky index 0.12..1.05: radiation over that of a clear sky. Fronts drift east by half a degree an hour. */
export function clearness(seed: Seed, atMs: number, latitude: number, longitude: number): number {
  const hours = atMs / HOUR_MS;
  const drifting = longitude - 0.5 * hours;
  const synoptic = noise3(seed, CHANNEL.synoptic, latitude / 2.5, drifting / 3.5, hours / 30);
  const meso = noise3(seed, CHANNEL.meso, latitude / 0.6, drifting / 0.8, hours / 5);
  const mean = meanClearness(latitude, floor(atMs / DAY_MS));
  const b = min(1, max(0, (0.72 * synoptic + 0.28 * meso - 0.5) * 2.6 + mean));
  const fast = noise3(seed, CHANNEL.fast, latitude / 0.1, longitude / 0.15, hours * 4);
  return min(1.05, max(0.12, 0.2 + 0.82 * b + 1.4 * (fast - 0.5) * b * (1 - b)));
}
