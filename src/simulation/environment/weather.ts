/**
 * The weather at a site: air temperature, clouds and the light under them, shared by all who live there and, through
 * noise in space and time, alike at neighbouring sites. See docs/simulation.md.
 */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { BoundedCache, DayCache } from '../kernel/bounded-cache.ts';
import type { Seed } from '../kernel/noise.ts';
import { allocateFloat64Array } from '../kernel/typed-arrays.ts';
import { AirTemperature } from './air-temperature.ts';
import { climateAt } from './climate.ts';
import type { Climate } from './climate.ts';
import { DailyWeather } from './daily-weather.ts';
import { IrradianceWorkspace, SiteIrradiance, allocateDayIrradiance } from './irradiance.ts';
import type { DayIrradiance } from './irradiance.ts';

/**
 * Weather at a site, a pure function of the seed, the site and the time. Days are UTC days, counted since 1970. The arrays
 * of a day belong to the cache and hold until another day or site is asked for: read them at once, never write to them.
 */
export interface SiteWeather {
  /** Distinct for each weather of this process: a key for what is derived from it. */
  readonly id: number;
  readonly climate: Climate;
  /** Mean temperature of the solar day that has most hours of a UTC day, C. */
  meanTemperatureOn(day: number): number;
  /** Air temperature at an instant in ms, C. */
  airTemperatureAt(atMs: number): number;
  /** Air temperature at the middles of a day's 96 quarter hours, C. */
  airTemperaturesOn(day: number): Float64Array;
  irradianceOn(day: number): DayIrradiance;
}

/** Days kept for all sites together: a year of one site, or a day of a thousand. */
const CACHED_DAYS = 1024;
const CACHED_SITES = 2000;
/** Distance between the keys of two sites' same day; modulo CACHED_DAYS a year of one and a day of all are apart. */
const SITE_STRIDE = 2 ** 22 + 379;

/** The sites asked for last and the days computed for them, whose arrays are used again. */
class WeatherCache {
  readonly temperatures = new DayCache<Float64Array>(CACHED_DAYS);
  readonly irradiances = new DayCache<DayIrradiance>(CACHED_DAYS);
  readonly workspace = new IrradianceWorkspace();
  /** By a number that two sites hardly share; if they do, the later one is made anew each time. */
  readonly #sites = new BoundedCache<number, CachedSiteWeather>(CACHED_SITES);
  #nextId = 0;

  siteAt(seed: Seed, latitude: number, longitude: number): CachedSiteWeather {
    const key = latitude * 1e6 + longitude + seed.lo * 0.56984029 + seed.hi * 0.75487767;
    const create = () => this.create(seed, latitude, longitude, climateAt(latitude, longitude));
    const site = this.#sites.getOrCompute(key, create);
    return site.isAt(seed, latitude, longitude) ? site : create();
  }

  create(seed: Seed, latitude: number, longitude: number, climate: Climate): CachedSiteWeather {
    return new CachedSiteWeather(this, this.#nextId++, seed, latitude, longitude, climate);
  }
}

class CachedSiteWeather implements SiteWeather {
  readonly id: number;
  readonly climate: Climate;
  readonly #cache: WeatherCache;
  readonly #firstKey: number;
  readonly #seed: Seed;
  readonly #latitude: number;
  readonly #longitude: number;
  readonly #daily: DailyWeather;
  readonly #air: AirTemperature;
  readonly #irradiance: SiteIrradiance;

  constructor(
    cache: WeatherCache,
    id: number,
    seed: Seed,
    latitude: number,
    longitude: number,
    climate: Climate,
  ) {
    this.id = id;
    this.climate = climate;
    this.#cache = cache;
    this.#firstKey = id * SITE_STRIDE;
    this.#seed = seed;
    this.#latitude = latitude;
    this.#longitude = longitude;
    this.#daily = new DailyWeather(seed, climate, latitude, longitude);
    this.#air = new AirTemperature(seed, this.#daily, latitude, longitude);
    this.#irradiance = new SiteIrradiance(
      seed,
      climate,
      this.#daily,
      latitude,
      longitude,
      cache.workspace,
      this.#firstKey,
    );
  }

  isAt(seed: Seed, latitude: number, longitude: number): boolean {
    const { hi, lo } = this.#seed;
    return latitude === this.#latitude && longitude === this.#longitude && seed.lo === lo && seed.hi === hi;
  }

  meanTemperatureOn(day: number): number {
    return this.#daily.meanOn(day);
  }

  airTemperatureAt(atMs: number): number {
    return this.#air.at(atMs);
  }

  airTemperaturesOn(day: number): Float64Array {
    const { temperatures } = this.#cache;
    const key = this.#firstKey + day;
    const known = temperatures.find(key);
    if (known) return known;
    const row = temperatures.evict(key) ?? allocateFloat64Array(QUARTER_HOURS_PER_DAY);
    return temperatures.set(key, this.#air.fillDay(day, row));
  }

  irradianceOn(day: number): DayIrradiance {
    const { irradiances } = this.#cache;
    const key = this.#firstKey + day;
    const known = irradiances.find(key);
    if (known) return known;
    const rows = irradiances.evict(key) ?? allocateDayIrradiance();
    return irradiances.set(key, this.#irradiance.fillDay(day, rows));
  }
}

const weatherCache = new WeatherCache();

/** The weather that a seed gives to a site, latitude and longitude in degrees. */
export function siteWeather(seed: Seed, latitude: number, longitude: number): SiteWeather {
  return weatherCache.siteAt(seed, latitude, longitude);
}

/** The weather that a seed gives to a site of a climate of its own, for validation: it is not kept. */
export function weatherUnder(climate: Climate, seed: Seed, latitude: number, longitude: number): SiteWeather {
  return weatherCache.create(seed, latitude, longitude, climate);
}
