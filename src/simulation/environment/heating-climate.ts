/** When houses are heated (docs/simulation.md#building). */
import type { Climate } from './climate.ts';

/** A house is heated on days colder than this; half of it counts the day itself, half the season. */
const HEATING_LIMIT_C = 15.5;

/** Whether houses are heated on a day (days since 1970) whose mean outdoor temperature is `meanC`. */
export function isHeatingDay(climate: Climate, day: number, meanC: number): boolean {
  return (climate.normTemperatureOn(day) + meanC) / 2 < HEATING_LIMIT_C;
}
