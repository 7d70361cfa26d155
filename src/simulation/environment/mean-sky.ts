/** The light and the warmth of a place in a mean year, for what is to be expected without weather. */
import { DAY_MS, HOUR_MS } from '../../domain/api/durations.ts';
import { dayOfYear } from '../time/calendar.ts';
import { climateAt } from './climate.ts';
import type { Climate } from './climate.ts';
import { clearSkyIrradiance, topIrradiance } from './light.ts';
import { sunDirection } from './sun.ts';
import type { SolarTerms } from './sun.ts';

/** Most that a mean sky is brighter than the clear one, where the sun hardly rises. */
const BRIGHTEST = 1.1;
/** Part of the daily range by which the lit hours are warmer than the day. */
const DAYLIGHT_RANGE = 0.3;

/** Mean sky and temperature of a place in degrees, by days since 1970. */
export class MeanSky {
  readonly #climate: Climate;
  readonly #latitude: number;
  readonly #longitude: number;

  constructor(latitude: number, longitude: number) {
    this.#climate = climateAt(latitude, longitude);
    this.#latitude = latitude;
    this.#longitude = longitude;
  }

  /** Irradiation of a mean day over that of a cloudless one; `terms` are the sun's on that day. */
  clearSkyIndexOn(day: number, terms: SolarTerms): number {
    let [clear, heights] = [0, 0];
    for (let hour = 0.5; hour < 24; hour++) {
      const { up } = sunDirection(terms, day * DAY_MS + hour * HOUR_MS, this.#latitude, this.#longitude);
      if (up <= 0) continue;
      clear += clearSkyIrradiance(up);
      heights += up;
    }
    const mean = this.#climate.clearnessOn(day) * heights * topIrradiance(dayOfYear(day));
    return Math.min(BRIGHTEST, mean / Math.max(1e-9, clear));
  }

  /** Mean temperature of the lit hours of a day, C. */
  daylightTemperatureOn(day: number): number {
    const range = this.#climate.range.atDayOfYear(dayOfYear(day));
    return this.#climate.normTemperatureOn(day) + DAYLIGHT_RANGE * range;
  }
}
