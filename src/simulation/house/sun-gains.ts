/** The sun through the windows as rooms feel it: shaded, and much of it hours later (docs/simulation.md#building). */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import type { SiteWeather } from '../environment/weather.ts';
import { allocateFloat64Array } from '../kernel/typed-arrays.ts';

/**
 * Part of the sun that warms air and furniture at once; floors and walls take the rest and give it back over hours (assumptions):
 * else a room is warmest right after noon, and a heat pump stands still then and works at night.
 */
const AT_ONCE = 0.3;
const STORED_HOURS = 6;
const PASSED_ON = 1 - Math.exp(-0.25 / STORED_HOURS);

/**
 * On warm days people keep out a part of the sun that is brighter than a dull day's: none while the day's mean is below the first
 * temperature, C, most above the second (assumptions).
 */
const DULL_W_PER_M2 = 150;
const SHADED_FROM_C = 14;
const SHADED_FULLY_C = 20;
const MOST_SHADED = 0.75;

type SunnyWeather = Pick<SiteWeather, 'irradianceOn' | 'meanTemperatureOn'>;

/** Part of the brighter light that comes in on a day of a mean temperature, C. */
function letIn(meanC: number): number {
  const warm = (meanC - SHADED_FROM_C) / (SHADED_FULLY_C - SHADED_FROM_C);
  return 1 - MOST_SHADED * Math.min(1, Math.max(0, warm));
}

const shadedLight = (global: number, part: number): number =>
  global > DULL_W_PER_M2 ? DULL_W_PER_M2 + (global - DULL_W_PER_M2) * part : global;

/** Writes what rooms feel of the sun in the quarter hours of a UTC day up to `to`, W/m2 of global irradiance. */
export function fillSunGains(weather: SunnyWeather, day: number, sun: Float64Array, to: number): void {
  let stored = storedAfter(weather, day - 1);
  const { global } = weather.irradianceOn(day);
  const part = letIn(weather.meanTemperatureOn(day));
  for (let i = 0; i < to; i++) {
    const light = shadedLight(global[i] ?? 0, part);
    stored += (light - stored) * PASSED_ON;
    sun[i] = AT_ONCE * light + (1 - AT_ONCE) * stored;
  }
}

/** What floors and walls give at the end of a UTC day; what was before that day is as good as gone. */
function storedAfter(weather: SunnyWeather, day: number): number {
  const { global } = weather.irradianceOn(day);
  const part = letIn(weather.meanTemperatureOn(day));
  let stored = 0;
  for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
    stored += (shadedLight(global[i] ?? 0, part) - stored) * PASSED_ON;
  }
  return stored;
}

/** Memory for a day. */
export const createSunGains = (): Float64Array => allocateFloat64Array(QUARTER_HOURS_PER_DAY);
