/** The climate of a place: what its norm year is like (simulation.md B2, B3). */
import { dayOfYear } from '../time/calendar.ts';

export interface Climate {
  /** Yearly mean in degrees Celsius. */
  readonly meanC: number;
  /** Half the span between warmest and coldest day of the norm year, K. */
  readonly amplitudeK: number;
  /** Day of the year on which the norm year is warmest. */
  readonly warmestDay: number;
}

/** Fits to Berkeley Earth means: Europe for 34..72 N, 25 W..45 E, else the world (B3); +1 K, since people live in valleys. */
export function climateAt(latitude: number, longitude: number): Climate {
  if (latitude >= 34 && latitude <= 72 && longitude >= -25 && longitude <= 45) {
    return {
      meanC: 1 + 9.35 - 0.46 * (latitude - 50) - 0.04 * (longitude - 10),
      amplitudeK: 9.33 + 0.024 * (latitude - 50) + 0.14 * (longitude - 10),
      warmestDay: 200,
    };
  }
  const sine = Math.sin((latitude * Math.PI) / 180);
  const amplitudeK = latitude >= 0 ? Math.max(0, 0.302 * latitude - 0.5) : 0.63 + 0.106 * -latitude;
  return {
    meanC: 1 + 16.3 - 22.4 * ((3 * sine * sine - 1) / 2),
    amplitudeK,
    warmestDay: latitude >= 0 ? 200 : 200 + 182,
  };
}

/** Cosines of whole days after the warmest, from -LONGEST on. */
const LONGEST = 400;
const WARMTHS = Float64Array.from({ length: 2 * LONGEST }, (_, i) =>
  Math.cos((2 * Math.PI * (i - LONGEST)) / 365.25),
);

/** 1 on the warmest day of the norm year, -1 on the coldest; `day` counts whole days since 1970. */
export function annualCycle(climate: Climate, day: number): number {
  return WARMTHS[dayOfYear(day) - climate.warmestDay + LONGEST] ?? 0;
}

/** Temperature of the norm year on a day (days since 1970), without weather and time of day, C. */
export function normTemperatureC(climate: Climate, day: number): number {
  return climate.meanC + climate.amplitudeK * annualCycle(climate, day);
}

/** Cosines of the days of a year, 1 in the middle of the north's. */
const SEASONS = Float64Array.from({ length: 2 * LONGEST }, (_, i) =>
  Math.cos((2 * Math.PI * (i - LONGEST - 182)) / 365),
);

/** Mean clear-sky index aimed at: by latitude, higher in summer (fit to measured yields, B2). */
export function meanClearSkyIndex(latitude: number, day: number): number {
  const away = Math.abs(latitude);
  const base = away <= 38 ? 0.72 : Math.max(0.51, 0.72 - 0.0175 * (away - 38));
  const phase = latitude >= 0 ? 0 : 182;
  const season = SEASONS[dayOfYear(day) - phase + LONGEST] ?? 0;
  return base + 0.02 + (away < 35 ? 0.02 : 0.1) * season;
}
