/** Solar irradiance at a place through a day: the position of the sun and the clouds before it. */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import type { Seed } from '../kernel/noise.ts';
import { allocateFloat64Array } from '../kernel/typed-arrays.ts';
import { CloudDay, CloudField, clearSkyIndexAt } from './cloud-field.ts';
import { beamIrradiance, diffuseIrradiance, globalIrradiance } from './light.ts';
import { computeSolarDay } from './sun.ts';
import type { SolarDay } from './sun.ts';

const RADIANS = Math.PI / 180;

/**
 * A UTC day's irradiance in W/m² at the middles of its 96 quarter hours: global and diffuse on a horizontal plane, the
 * direct beam as a vector towards the sun. All 0 with the sun down.
 */
export interface DayIrradiance {
  readonly global: Float64Array;
  readonly diffuse: Float64Array;
  readonly beamEast: Float64Array;
  readonly beamNorth: Float64Array;
  readonly beamUp: Float64Array;
}

/** Arrays for a day's irradiance, all zeros. */
export function allocateDayIrradiance(): DayIrradiance {
  return {
    global: allocateFloat64Array(QUARTER_HOURS_PER_DAY),
    diffuse: allocateFloat64Array(QUARTER_HOURS_PER_DAY),
    beamEast: allocateFloat64Array(QUARTER_HOURS_PER_DAY),
    beamNorth: allocateFloat64Array(QUARTER_HOURS_PER_DAY),
    beamUp: allocateFloat64Array(QUARTER_HOURS_PER_DAY),
  };
}

/** Middles of the quarter hours as parts of the day. */
const MIDDLES = Float64Array.from(
  { length: QUARTER_HOURS_PER_DAY },
  (_, i) => (i + 0.5) / QUARTER_HOURS_PER_DAY,
);

/** Solar days that a workspace keeps. */
const CACHED_SOLAR_DAYS = 1024;

/** Memory in which one day after the other is computed, of any place. */
export class IrradianceWorkspace {
  /** Cosines of the zenith angle at the middles of the quarter hours. */
  readonly sunHeights = new Float64Array(QUARTER_HOURS_PER_DAY);
  readonly cosHourAngles = new Float64Array(QUARTER_HOURS_PER_DAY);
  readonly sinHourAngles = new Float64Array(QUARTER_HOURS_PER_DAY);
  readonly clouds = new CloudDay();
  readonly #solarDays = new DayCache<SolarDay>(CACHED_SOLAR_DAYS);

  /** The solar day of a UTC day (days since 1970) in quarter hours. */
  solarDayOf(day: number): SolarDay {
    const cache = this.#solarDays;
    return cache.find(day) ?? cache.set(day, computeSolarDay(day, QUARTER_HOURS_PER_DAY));
  }
}

/** The irradiance at a place, latitude and longitude in degrees. */
export class SiteIrradiance {
  readonly #clouds: CloudField;
  readonly #longitude: number;
  readonly #sinLatitude: number;
  readonly #cosLatitude: number;

  constructor(seed: Seed, latitude: number, longitude: number) {
    this.#clouds = new CloudField(seed, latitude, longitude);
    this.#longitude = longitude;
    this.#sinLatitude = Math.sin(latitude * RADIANS);
    this.#cosLatitude = Math.cos(latitude * RADIANS);
  }

  /** Writes the heights and hour angles of the sun through a day into the workspace. */
  #moveSun(sun: SolarDay, { sunHeights, cosHourAngles, sinHourAngles }: IrradianceWorkspace): void {
    const { equationOfTime, stepMinutes, cosStep, sinStep } = sun;
    const { sinDeclination, cosDeclination, sinDeclinationChange, cosDeclinationChange } = sun;
    const cosLatitude = this.#cosLatitude;
    const sinLatitude = this.#sinLatitude;
    const hourAngle = ((equationOfTime + 4 * this.#longitude + stepMinutes / 2) / 4 - 180) * RADIANS;
    let cosHour = Math.cos(hourAngle);
    let sinHour = Math.sin(hourAngle);
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      const part = MIDDLES[i] ?? 0;
      sunHeights[i] =
        (sinDeclination + sinDeclinationChange * part) * sinLatitude +
        (cosDeclination + cosDeclinationChange * part) * cosHour * cosLatitude;
      cosHourAngles[i] = cosHour;
      sinHourAngles[i] = sinHour;
      const cosNext = cosHour * cosStep - sinHour * sinStep;
      sinHour = sinHour * cosStep + cosHour * sinStep;
      cosHour = cosNext;
    }
  }

  /** Writes the irradiance of a UTC day (days since 1970) into `irradiance` and returns it. */
  fillDay(day: number, irradiance: DayIrradiance, workspace: IrradianceWorkspace): DayIrradiance {
    const { global, diffuse, beamEast, beamNorth, beamUp } = irradiance;
    const { sunHeights, cosHourAngles, sinHourAngles, clouds } = workspace;
    const cosLatitude = this.#cosLatitude;
    const sinLatitude = this.#sinLatitude;
    const sun = workspace.solarDayOf(day);
    const { sinDeclination, cosDeclination, sinDeclinationChange, cosDeclinationChange } = sun;
    this.#moveSun(sun, workspace);
    this.#clouds.fillDay(day, sunHeights, clouds);
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      const height = sunHeights[i] ?? 0;
      if (height <= 0) {
        global[i] = diffuse[i] = beamEast[i] = beamNorth[i] = beamUp[i] = 0;
        continue;
      }
      const part = MIDDLES[i] ?? 0;
      const sinDecl = sinDeclination + sinDeclinationChange * part;
      const cosDecl = cosDeclination + cosDeclinationChange * part;
      const total = globalIrradiance(height, clearSkyIndexAt(clouds, i));
      const scattered = diffuseIrradiance(total, height);
      const beam = beamIrradiance(total, scattered, height);
      global[i] = total;
      diffuse[i] = scattered;
      beamEast[i] = -beam * cosDecl * (sinHourAngles[i] ?? 0);
      beamNorth[i] = beam * (sinDecl * cosLatitude - cosDecl * (cosHourAngles[i] ?? 0) * sinLatitude);
      beamUp[i] = beam * height;
    }
    return irradiance;
  }
}
