/** Solar irradiance at a place through a day: the position of the sun and the clouds before it. */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import type { Seed } from '../kernel/noise.ts';
import { allocateFloat64Array } from '../kernel/typed-arrays.ts';
import type { Climate } from './climate.ts';
import { CloudField } from './cloud-field.ts';
import type { DailyWeather } from './daily-weather.ts';
import { beamIrradiance, diffuseIrradiance } from './light.ts';
import { SiteSun, SolarRows } from './solar-rows.ts';
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

/** Solar days that a workspace keeps. */
const CACHED_SOLAR_DAYS = 1024;

/** Solar days on both sides of midnight UTC whose light is kept, of all places together: both days ask for it. */
const CACHED_LIGHT_DAYS = 1024;

/** Memory in which one day after the other is computed, of any place. */
export class IrradianceWorkspace {
  readonly sun = new SolarRows();
  /** Global irradiance of the solar day that is computed. */
  readonly global = new Float64Array(QUARTER_HOURS_PER_DAY);
  /** Light of solar days by the site's first key plus the day. */
  readonly lightDays = new DayCache<DayIrradiance>(CACHED_LIGHT_DAYS);
  readonly #solarDays = new DayCache<SolarDay>(CACHED_SOLAR_DAYS);

  /** The sun on a UTC day (days since 1970) in quarter hours. */
  solarDayOf(day: number): SolarDay {
    const cache = this.#solarDays;
    return cache.find(day) ?? cache.set(day, computeSolarDay(day, QUARTER_HOURS_PER_DAY));
  }
}

/** The irradiance at a place, latitude and longitude in degrees. */
export class SiteIrradiance {
  readonly #clouds: CloudField;
  readonly #sun: SiteSun;
  readonly #workspace: IrradianceWorkspace;
  readonly #firstKey: number;
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
    this.#lead = Math.round((longitude / 360) * QUARTER_HOURS_PER_DAY);
    this.#clouds = new CloudField(seed, climate, daily, latitude, longitude);
    this.#sun = new SiteSun(latitude, longitude, this.#lead);
    this.#workspace = workspace;
    this.#firstKey = firstKey;
    this.#sinLatitude = Math.sin(latitude * RADIANS);
    this.#cosLatitude = Math.cos(latitude * RADIANS);
  }

  /** Writes the irradiance of a UTC day (days since 1970) into `irradiance` and returns it. */
  fillDay(day: number, irradiance: DayIrradiance): DayIrradiance {
    const { global, diffuse, beamEast, beamNorth, beamUp } = irradiance;
    const lead = this.#lead;
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      global[i] = diffuse[i] = beamEast[i] = beamNorth[i] = beamUp[i] = 0;
    }
    this.#addSolarDay(day, -lead, irradiance);
    if (lead > 0) this.#addSolarDay(day + 1, QUARTER_HOURS_PER_DAY - lead, irradiance);
    if (lead < 0) this.#addSolarDay(day - 1, -lead - QUARTER_HOURS_PER_DAY, irradiance);
    return irradiance;
  }

  /**
   * Adds what a solar day brings to a UTC day, of which quarter hour `offset` is its first. A day that lies in it from
   * sunrise to sunset is written where it belongs; of others the UTC days on both sides ask for their part.
   */
  #addSolarDay(solarDay: number, offset: number, irradiance: DayIrradiance): void {
    const rows = this.#workspace.sun;
    this.#sun.setSpan(this.#workspace.solarDayOf(solarDay), rows);
    const from = Math.max(rows.from, -offset);
    const to = Math.min(rows.to, QUARTER_HOURS_PER_DAY - offset);
    if (from >= to) return;
    if (from === rows.from && to === rows.to) {
      this.#computeLight(solarDay, offset, irradiance);
      return;
    }
    const light = this.#lightOf(solarDay);
    copyRow(light.global, irradiance.global, from, to, offset);
    copyRow(light.diffuse, irradiance.diffuse, from, to, offset);
    copyRow(light.beamEast, irradiance.beamEast, from, to, offset);
    copyRow(light.beamNorth, irradiance.beamNorth, from, to, offset);
    copyRow(light.beamUp, irradiance.beamUp, from, to, offset);
  }

  /** The light of a solar day in its own quarter hours; only those with the sun up are of that day. */
  #lightOf(solarDay: number): DayIrradiance {
    const { lightDays } = this.#workspace;
    const key = this.#firstKey + solarDay;
    const known = lightDays.find(key);
    if (known) return known;
    const light = lightDays.evict(key) ?? allocateDayIrradiance();
    this.#computeLight(solarDay, 0, light);
    return lightDays.set(key, light);
  }

  /** Writes the light of a solar day, whose span is in the workspace, into `irradiance` from quarter hour `offset` on. */
  #computeLight(solarDay: number, offset: number, irradiance: DayIrradiance): void {
    const { sun, global: lights } = this.#workspace;
    this.#sun.fill(this.#workspace.solarDayOf(solarDay), sun);
    this.#clouds.fillDay(solarDay, solarDay * QUARTER_HOURS_PER_DAY - this.#lead, sun, lights);
    const { global, diffuse, beamEast, beamNorth, beamUp } = irradiance;
    const { heights, sinDeclinations, cosDeclinations, sinHours, cosHours } = sun;
    const cosLatitude = this.#cosLatitude;
    const sinLatitude = this.#sinLatitude;
    for (let i = sun.from; i < sun.to; i++) {
      const height = heights[i] ?? 0;
      const total = lights[i] ?? 0;
      const at = offset + i;
      if (height <= 0 || total <= 0) {
        global[at] = diffuse[at] = beamEast[at] = beamNorth[at] = beamUp[at] = 0;
        continue;
      }
      const sinDecl = sinDeclinations[i] ?? 0;
      const cosDecl = cosDeclinations[i] ?? 0;
      const scattered = diffuseIrradiance(total, height);
      const beam = beamIrradiance(total, scattered, height);
      global[at] = total;
      diffuse[at] = scattered;
      beamEast[at] = -beam * cosDecl * (sinHours[i] ?? 0);
      beamNorth[at] = beam * (sinDecl * cosLatitude - cosDecl * (cosHours[i] ?? 0) * sinLatitude);
      beamUp[at] = beam * height;
    }
  }
}

/** Copies places `from` to `to` of a row, `offset` later in `target`. */
function copyRow(row: Float64Array, target: Float64Array, from: number, to: number, offset: number): void {
  for (let i = from; i < to; i++) target[offset + i] = row[i] ?? 0;
}
