/** What heating engineers ask of a climate: how cold it gets, when a house is heated, and how cold the ground is. */
import { normTemperatureC } from './climate.ts';
import type { Climate } from './climate.ts';

/** By how much the coldest day that a year is expected to bring is colder than the norm year's coldest, K. */
const COLD_SPELL_K = 7;
/** A house is heated on days colder than this; half of it counts the day itself, half the season. */
const HEATING_LIMIT_C = 15.5;
/** A metre down the year is damped to a third and six weeks late. */
const SOIL_DAMPING = 0.35;
const SOIL_DELAY_DAYS = 42;

/** Coldest daily mean that a year is expected to bring, C: what heat pumps are sized for. */
export function designTemperatureC({ meanC, amplitudeK }: Climate): number {
  return meanC - amplitudeK - COLD_SPELL_K;
}

/** Whether houses are heated on a day (days since 1970) whose mean outdoor temperature is `meanC`. */
export function isHeatingDay(climate: Climate, day: number, meanC: number): boolean {
  return (normTemperatureC(climate, day) + meanC) / 2 < HEATING_LIMIT_C;
}

/** Temperature of the ground a metre down on a day (days since 1970), which water from the mains has too, C. */
export function soilTemperatureC(climate: Climate, day: number): number {
  const departureK = normTemperatureC(climate, day - SOIL_DELAY_DAYS) - climate.meanC;
  return climate.meanC + departureK * SOIL_DAMPING;
}
