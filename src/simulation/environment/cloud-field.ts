/** Clouds over a place: three layers of noise, of which the two large ones drift east. */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { NOISE_CHANNEL } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { ValueNoise3d, ValueNoiseOverTime } from '../kernel/value-noise.ts';
import { meanClearSkyIndex } from './climate.ts';

const HOURS_PER_DAY = 24;
/** Weather systems move east by so many degrees an hour. */
const DRIFT_DEGREES_PER_HOUR = 0.5;

/** A day's clouds, written by CloudField.fillDay and read by clearSkyIndexAt; made once and written over. */
export class CloudDay {
  /** Clearness of the large weather at the 25 full hours, 0 (overcast) to 1. */
  readonly hourly = new Float64Array(HOURS_PER_DAY + 1);
  /** Noise of passing clouds at the 97 starts and ends of quarter hours, 0..1. */
  readonly passing = new Float64Array(QUARTER_HOURS_PER_DAY + 1);
}

/** Whether the sun is up in any quarter hour of an hour 0..23. */
function isSunUpInHour(sunHeights: Float64Array, hour: number): boolean {
  for (let i = 4 * hour; i < 4 * hour + 4; i++) if ((sunHeights[i] ?? 0) > 0) return true;
  return false;
}

/** Clear-sky index (irradiance over that of a clear sky), 0.12..1.05, in a quarter hour 0..95 of a day with the sun up. */
export function clearSkyIndexAt({ hourly, passing }: CloudDay, quarter: number): number {
  const from = hourly[quarter >> 2] ?? 0;
  const clear = from + ((hourly[(quarter >> 2) + 1] ?? 0) - from) * (((quarter & 3) + 0.5) / 4);
  const cloud = ((passing[quarter] ?? 0) + (passing[quarter + 1] ?? 0)) / 2;
  // Passing clouds matter most under a half clouded sky.
  return Math.min(1.05, Math.max(0.12, 0.2 + 0.82 * clear + 1.4 * (cloud - 0.5) * clear * (1 - clear)));
}

/** The clouds over a place, latitude and longitude in degrees. */
export class CloudField {
  /** Fronts and highs: 2.5 by 3.5 degrees, 30 hours. */
  readonly #synoptic: ValueNoise3d;
  /** Fields of clouds: 0.6 by 0.8 degrees, 5 hours. */
  readonly #mesoscale: ValueNoise3d;
  /** Single clouds: 0.1 by 0.15 degrees, a quarter hour; they do not drift. */
  readonly #local: ValueNoiseOverTime;
  readonly #latitude: number;
  readonly #longitude: number;

  constructor(seed: Seed, latitude: number, longitude: number) {
    this.#synoptic = new ValueNoise3d(seed, NOISE_CHANNEL.synopticCloud);
    this.#mesoscale = new ValueNoise3d(seed, NOISE_CHANNEL.mesoscaleCloud);
    this.#local = new ValueNoiseOverTime(seed, NOISE_CHANNEL.localCloud, latitude / 0.1, longitude / 0.15);
    this.#latitude = latitude;
    this.#longitude = longitude;
  }

  /**
   * Writes the clouds of a UTC day (days since 1970) into `clouds`, where the sun is up: `sunHeights` are the cosines of
   * the zenith angle at the 96 quarter hours.
   */
  fillDay(day: number, sunHeights: Float64Array, clouds: CloudDay): void {
    const { hourly, passing } = clouds;
    const mean = meanClearSkyIndex(this.#latitude, day);
    let wasUp = false;
    for (let hour = 0; hour <= HOURS_PER_DAY; hour++) {
      const isUp = hour < HOURS_PER_DAY && isSunUpInHour(sunHeights, hour);
      if (wasUp || isUp) {
        const hours = day * HOURS_PER_DAY + hour;
        const drifting = this.#longitude - DRIFT_DEGREES_PER_HOUR * hours;
        const synoptic = this.#synoptic.at(this.#latitude / 2.5, drifting / 3.5, hours / 30);
        const mesoscale = this.#mesoscale.at(this.#latitude / 0.6, drifting / 0.8, hours / 5);
        hourly[hour] = Math.min(1, Math.max(0, (0.72 * synoptic + 0.28 * mesoscale - 0.5) * 2.6 + mean));
      }
      wasUp = isUp;
    }
    const first = day * QUARTER_HOURS_PER_DAY;
    wasUp = false;
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      const isUp = (sunHeights[i] ?? 0) > 0;
      if (wasUp || isUp) passing[i] = this.#local.at(first + i);
      wasUp = isUp;
    }
    if (wasUp) passing[QUARTER_HOURS_PER_DAY] = this.#local.at(first + QUARTER_HOURS_PER_DAY);
  }
}
