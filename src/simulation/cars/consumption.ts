/** Energy that a car takes for a tour, by distance and outdoor temperature (docs/simulation.md#electric-vehicle). */
import type { Climate } from '../environment/climate.ts';

/** Tours of more km, there and back, are far: faster, and the cabin is warm for most of the way. */
const FAR_KM = 60;
export const isFar = (km: number): boolean => km > FAR_KM;

/** More energy for a km at the speed of far tours, mWh. */
const FAR_PER_KM = 12_000;

/** Energy for a tour at 20 °C, mWh: `perKm` is that of short ones. */
export const energyOf = (perKm: number, km: number, far: boolean): number =>
  km * (far ? perKm + FAR_PER_KM : perKm);

/** Factor on the energy at an outdoor temperature in °C: heating below 15, cooling above 24. */
export function weatherFactor(temperature: number, far: boolean): number {
  const heating = Math.max(0, 15 - temperature) * (far ? 0.01 : 0.018);
  return 1 + heating + Math.max(0, temperature - 24) * 0.01;
}

/** Every fourteenth day of a year stands for its season. */
const SEASON_DAYS = 14;
const SEASONS = 27;
/** Departures of a day from the norm in spreads, each as frequent as the others, whose mean is that of a normal distribution. */
const DEPARTURES = [-1.5, -0.68, -0.21, 0.21, 0.68, 1.5] as const;

/** Mean factors on the energy of near and far tours through the year of a place. */
export interface SeasonFactors {
  readonly near: Float64Array;
  readonly far: Float64Array;
}

/** The mean factors in a climate, whatever the weather of a year will be. */
export function seasonFactorsOf(climate: Climate): SeasonFactors {
  const factors = { near: new Float64Array(SEASONS), far: new Float64Array(SEASONS) };
  for (let season = 0; season < SEASONS; season++) {
    const date = season * SEASON_DAYS + SEASON_DAYS / 2;
    const norm = climate.normTemperatureAt(date);
    const spread = climate.spread.at(date);
    const mean = (far: boolean): number =>
      DEPARTURES.reduce((sum, z) => sum + weatherFactor(norm + z * spread, far), 0) / DEPARTURES.length;
    factors.near[season] = mean(false);
    factors.far[season] = mean(true);
  }
  return factors;
}

/** The mean factor of a day of the year 1..366. */
export const seasonFactor = (
  { near, far }: SeasonFactors,
  dayOfTheYear: number,
  isFarTour: boolean,
): number => (isFarTour ? far : near)[Math.floor((dayOfTheYear - 1) / SEASON_DAYS)] ?? 1;

/** Mean speed of a drive of so many km one way, km/h: 20 in the street, towards 110 on motorways. */
export const speedOf = (km: number): number => 18 + (92 * km) / (km + 50);
