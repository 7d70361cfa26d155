/** Solar irradiance at a place through a day: the position of the sun and the clouds before it. */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import type { Seed } from '../kernel/noise.ts';
import { allocateFloat64Array } from '../kernel/typed-arrays.ts';
import type { Climate } from './climate.ts';
import { CloudField } from './cloud-field.ts';
import type { DailyWeather } from './daily-weather.ts';
import { beamIrradiance, diffuseIrradiance } from './light.ts';
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

/** Solar days whose light is kept, of all places together: light comes by solar days, questions by days of UTC. */
const CACHED_LIGHT_DAYS = 1024;

/** The sun at the middles of 96 quarter hours: cosines of the zenith angle, and its hour angles. */
class SunRows {
  readonly heights = new Float64Array(QUARTER_HOURS_PER_DAY);
  readonly cosHours = new Float64Array(QUARTER_HOURS_PER_DAY);
  readonly sinHours = new Float64Array(QUARTER_HOURS_PER_DAY);
}

/** Memory in which one day after the other is computed, of any place. */
export class IrradianceWorkspace {
  /** The sun of a UTC day, and of a solar one. */
  readonly sun = new SunRows();
  readonly solarSun = new SunRows();
  readonly clearSky = new Float64Array(QUARTER_HOURS_PER_DAY);
  /** Global irradiance of solar days by the site's first key plus the day. */
  readonly lightDays = new DayCache<Float64Array>(CACHED_LIGHT_DAYS);
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
  readonly #workspace: IrradianceWorkspace;
  readonly #firstKey: number;
  readonly #longitude: number;
  readonly #sinLatitude: number;
  readonly #cosLatitude: number;
  /** Quarter hours by which the solar day begins before the UTC day, -48..48. */
  readonly #lead: number;

  /** `firstKey` plus a day is this place's key of the day among all places (IrradianceWorkspace.lightDays). */
  constructor(
    seed: Seed,
    climate: Climate,
    daily: DailyWeather,
    latitude: number,
    longitude: number,
    workspace: IrradianceWorkspace,
    firstKey: number,
  ) {
    this.#clouds = new CloudField(seed, climate, daily, latitude, longitude, workspace.clearSky);
    this.#workspace = workspace;
    this.#firstKey = firstKey;
    this.#longitude = longitude;
    this.#sinLatitude = Math.sin(latitude * RADIANS);
    this.#cosLatitude = Math.cos(latitude * RADIANS);
    this.#lead = Math.round((longitude / 360) * QUARTER_HOURS_PER_DAY);
  }

  /** Writes the sun of 96 quarter hours into `rows`, the first of them `shift` after the first of the day of `sun`. */
  #moveSun(sun: SolarDay, shift: number, { heights, cosHours, sinHours }: SunRows): void {
    const { equationOfTime, stepMinutes, cosStep, sinStep } = sun;
    const { sinDeclination, cosDeclination, sinDeclinationChange, cosDeclinationChange } = sun;
    const cosLatitude = this.#cosLatitude;
    const sinLatitude = this.#sinLatitude;
    const minutes = equationOfTime + 4 * this.#longitude + stepMinutes * (shift + 0.5);
    const hourAngle = (minutes / 4 - 180) * RADIANS;
    let cosHour = Math.cos(hourAngle);
    let sinHour = Math.sin(hourAngle);
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      const part = (i + shift + 0.5) / QUARTER_HOURS_PER_DAY;
      heights[i] =
        (sinDeclination + sinDeclinationChange * part) * sinLatitude +
        (cosDeclination + cosDeclinationChange * part) * cosHour * cosLatitude;
      cosHours[i] = cosHour;
      sinHours[i] = sinHour;
      const cosNext = cosHour * cosStep - sinHour * sinStep;
      sinHour = sinHour * cosStep + cosHour * sinStep;
      cosHour = cosNext;
    }
  }

  /** Global irradiance in the quarter hours of a solar day (days since 1970), W/m². */
  #lightOf(day: number): Float64Array {
    const { lightDays, solarSun } = this.#workspace;
    const key = this.#firstKey + day;
    const known = lightDays.find(key);
    if (known) return known;
    const light = lightDays.evict(key) ?? allocateFloat64Array(QUARTER_HOURS_PER_DAY);
    this.#moveSun(this.#workspace.solarDayOf(day), -this.#lead, solarSun);
    this.#clouds.fillDay(day, day * QUARTER_HOURS_PER_DAY - this.#lead, solarSun.heights, light);
    return lightDays.set(key, light);
  }

  /**
   * Copies the light of the solar days that a UTC day has part in. The shorter part ends or begins at solar midnight: it is
   * dark when the sun is down at its other end, as it is in most places.
   */
  #copyLight(day: number, heights: Float64Array, global: Float64Array): void {
    const lead = this.#lead;
    const turn = lead < 0 ? -lead : QUARTER_HOURS_PER_DAY - lead;
    const isFirstDark = lead < 0 && (heights[0] ?? 0) <= 0;
    const isSecondDark = lead <= 0 ? lead === 0 : (heights[QUARTER_HOURS_PER_DAY - 1] ?? 0) <= 0;
    if (isFirstDark) global.fill(0, 0, turn);
    else copyRow(this.#lightOf(lead < 0 ? day - 1 : day), QUARTER_HOURS_PER_DAY - turn, global, 0, turn);
    if (isSecondDark) global.fill(0, turn);
    else copyRow(this.#lightOf(lead < 0 ? day : day + 1), 0, global, turn, QUARTER_HOURS_PER_DAY);
  }

  /** Writes the irradiance of a UTC day (days since 1970) into `irradiance` and returns it. */
  fillDay(day: number, irradiance: DayIrradiance): DayIrradiance {
    const { global, diffuse, beamEast, beamNorth, beamUp } = irradiance;
    const { heights, cosHours, sinHours } = this.#workspace.sun;
    const cosLatitude = this.#cosLatitude;
    const sinLatitude = this.#sinLatitude;
    const sun = this.#workspace.solarDayOf(day);
    const { sinDeclination, cosDeclination, sinDeclinationChange, cosDeclinationChange } = sun;
    this.#moveSun(sun, 0, this.#workspace.sun);
    this.#copyLight(day, heights, global);
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      const height = heights[i] ?? 0;
      const total = global[i] ?? 0;
      if (height <= 0 || total <= 0) {
        global[i] = diffuse[i] = beamEast[i] = beamNorth[i] = beamUp[i] = 0;
        continue;
      }
      const part = MIDDLES[i] ?? 0;
      const sinDecl = sinDeclination + sinDeclinationChange * part;
      const cosDecl = cosDeclination + cosDeclinationChange * part;
      const scattered = diffuseIrradiance(total, height);
      const beam = beamIrradiance(total, scattered, height);
      diffuse[i] = scattered;
      beamEast[i] = -beam * cosDecl * (sinHours[i] ?? 0);
      beamNorth[i] = beam * (sinDecl * cosLatitude - cosDecl * (cosHours[i] ?? 0) * sinLatitude);
      beamUp[i] = beam * height;
    }
    return irradiance;
  }
}

/** Copies `from`, from a place on, into places `start` to `end` of `to`. */
function copyRow(from: Float64Array, first: number, to: Float64Array, start: number, end: number): void {
  for (let i = start; i < end; i++) to[i] = from[first + i - start] ?? 0;
}
