/** The norm year of a place: temperature and clearness of the sky without weather. See docs/simulation.md. */
import { dayOfYear } from '../time/calendar.ts';

/** The course of temperature in the norm year of a place. */
export interface Climate {
  /** Yearly mean in degrees Celsius. */
  readonly meanC: number;
  /** Half the span between warmest and coldest day of the norm year, K. */
  readonly amplitudeK: number;
  /** Day of the year on which the norm year is warmest. */
  readonly warmestDay: number;
}

/** Warmest day in the north, the middle of July, and by how many days the south is behind. */
const WARMEST_DAY = 200;
const HALF_YEAR_DAYS = 182;

/**
 * Climate of a place, latitude and longitude in degrees: fits to the means of Berkeley Earth, for 34..72 N and
 * 25 W..45 E a fit to Europe, elsewhere one to the world; 1 K warmer, since people live in valleys.
 */
export function climateAt(latitude: number, longitude: number): Climate {
  if (latitude >= 34 && latitude <= 72 && longitude >= -25 && longitude <= 45) {
    return {
      meanC: 1 + 9.35 - 0.46 * (latitude - 50) - 0.04 * (longitude - 10),
      amplitudeK: 9.33 + 0.024 * (latitude - 50) + 0.14 * (longitude - 10),
      warmestDay: WARMEST_DAY,
    };
  }
  const sine = Math.sin((latitude * Math.PI) / 180);
  const amplitudeK = latitude >= 0 ? Math.max(0, 0.302 * latitude - 0.5) : 0.63 + 0.106 * -latitude;
  return {
    meanC: 1 + 16.3 - 22.4 * ((3 * sine * sine - 1) / 2),
    amplitudeK,
    warmestDay: latitude >= 0 ? WARMEST_DAY : WARMEST_DAY + HALF_YEAR_DAYS,
  };
}

/** The tables below hold cosines of differences between days of the year, from -MAX_DIFFERENCE on. */
const MAX_DIFFERENCE = 400;
const TEMPERATURE_CYCLE = Float64Array.from({ length: 2 * MAX_DIFFERENCE }, (_, i) =>
  Math.cos((2 * Math.PI * (i - MAX_DIFFERENCE)) / 365.25),
);

/** Cosine of the norm year: 1 on its warmest day, -1 on its coldest; `day` counts whole days since 1970. */
export function annualTemperatureCycle(climate: Climate, day: number): number {
  return TEMPERATURE_CYCLE[dayOfYear(day) - climate.warmestDay + MAX_DIFFERENCE] ?? 0;
}

/** Temperature of the norm year on a day (days since 1970), without weather and time of day, degrees Celsius. */
export function normTemperatureC(climate: Climate, day: number): number {
  return climate.meanC + climate.amplitudeK * annualTemperatureCycle(climate, day);
}

/** 1 in the middle of a calendar year, the summer of the north. */
const CLEARNESS_CYCLE = Float64Array.from({ length: 2 * MAX_DIFFERENCE }, (_, i) =>
  Math.cos((2 * Math.PI * (i - MAX_DIFFERENCE - HALF_YEAR_DAYS)) / 365),
);

/**
 * Mean of the clear-sky index (irradiance over that of a clear sky) on a day (days since 1970): by latitude in degrees,
 * higher in summer. A fit to the measured yields of six countries (Schardt and te Heesen, EU PVSEC).
 */
export function meanClearSkyIndex(latitude: number, day: number): number {
  const distance = Math.abs(latitude);
  const base = distance <= 38 ? 0.72 : Math.max(0.51, 0.72 - 0.0175 * (distance - 38));
  const shift = latitude >= 0 ? 0 : HALF_YEAR_DAYS;
  const season = CLEARNESS_CYCLE[dayOfYear(day) - shift + MAX_DIFFERENCE] ?? 0;
  return base + 0.02 + (distance < 35 ? 0.02 : 0.1) * season;
}
