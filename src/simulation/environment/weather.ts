/**
 * Weather of a place: air temperature, clouds and the light under them, shared by all who live there and, through
 * noise in space and time, alike at neighbouring places (simulation.md B2, B3). Values stand for the middles of
 * the 96 quarter hours of a UTC day.
 */
import { climateAt, meanClearSkyIndex, annualCycle } from './climate.ts';
import type { Climate } from './climate.ts';
import { DayCache, BoundedCache } from '../kernel/bounded-cache.ts';
import { NOISE_CHANNEL, ValueNoise3d, ValueNoiseOverTime } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { beamIrradiance, diffuseIrradiance, globalIrradiance } from './light.ts';
import { allocateFloat64Array } from '../kernel/typed-arrays.ts';
import { solarDay } from './sun.ts';
import type { SolarDay } from './sun.ts';
import { DAY_MS, HOUR_MS, QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';

const HOURS = 24;
const RADIANS = Math.PI / 180;
/** Slow weather is straight between every third hour. */
const KNOT_HOURS = 3;

/** A day's light in W/m²: global and diffuse on the level, the beam as a vector; all 0 with the sun down. */
export interface DayIrradiance {
  readonly global: Float64Array;
  readonly diffuse: Float64Array;
  readonly beamEast: Float64Array;
  readonly beamNorth: Float64Array;
  readonly beamUp: Float64Array;
}

/** Rows are read at once: those of other days and places are written over them later. */
export interface SiteWeather {
  /** The same number for the same weather only. */
  readonly id: number;
  readonly climate: Climate;
  /** Mean temperature of a UTC day (days since 1970), C. */
  meanTemperatureOn(day: number): number;
  /** Outdoor temperature at an instant, C. */
  airTemperatureAt(atMs: number): number;
  /** Outdoor temperature at the middles of a day's quarters, C. */
  airTemperaturesOn(day: number): Float64Array;
  irradianceOn(day: number): DayIrradiance;
}

/** Days of all places together: a year of one place, or a day of a thousand. */
const KEPT_DAYS = 1024;
const airs = new DayCache<Float64Array>(KEPT_DAYS);
const skies = new DayCache<DayIrradiance>(KEPT_DAYS);
/** Their days are counted on from place to place; modulo KEPT_DAYS a year of one and a day of all are apart. */
const TURN = 2 ** 22 + 379;
let turns = 0;

/** By a number that two places hardly share; if they do, the later one is made anew each time. */
const places = new BoundedCache<number, Place>(2000);

export function siteWeather(seed: Seed, latitude: number, longitude: number): SiteWeather {
  const sign = latitude * 1e6 + longitude + seed.lo * 0.56984029 + seed.hi * 0.75487767;
  const known = places.getOrCompute(sign, () => new Place(seed, latitude, longitude));
  return known.isAt(seed, latitude, longitude) ? known : new Place(seed, latitude, longitude);
}

class Place implements SiteWeather {
  readonly id = turns++;
  readonly climate: Climate;
  readonly #first = this.id * TURN;
  readonly #seed: Seed;
  readonly #latitude: number;
  readonly #longitude: number;
  readonly #slow: SlowAir;
  readonly #painter: SkyPainter;
  /** The day's course is ± 4 K, warmest at 15 h solar time. */
  readonly #course = new Float64Array(HOURS + 1);

  constructor(seed: Seed, latitude: number, longitude: number) {
    this.climate = climateAt(latitude, longitude);
    this.#seed = seed;
    this.#latitude = latitude;
    this.#longitude = longitude;
    this.#slow = new SlowAir(seed, this.climate, latitude, longitude);
    this.#painter = new SkyPainter(seed, latitude, longitude);
    const course = this.#course;
    for (let hour = 0; hour < HOURS; hour++) {
      course[hour] = 4 * Math.cos((2 * Math.PI * (hour + longitude / 15 - 15)) / HOURS);
    }
    course[HOURS] = course[0] ?? 0;
  }

  isAt(seed: Seed, latitude: number, longitude: number): boolean {
    const { hi, lo } = this.#seed;
    return latitude === this.#latitude && longitude === this.#longitude && seed.lo === lo && seed.hi === hi;
  }

  meanTemperatureOn(day: number): number {
    return this.#slow.at(day, 12);
  }

  airTemperatureAt(atMs: number): number {
    const day = Math.floor(atMs / DAY_MS);
    const hours = atMs / HOUR_MS - day * HOURS;
    const hour = Math.floor(hours);
    const from = this.#atHour(day, hour);
    return from + (this.#atHour(day, hour + 1) - from) * (hours - hour);
  }

  #atHour(day: number, hour: number): number {
    const slow = this.#slow;
    const knot = hour - (hour % KNOT_HOURS);
    const from = slow.at(day, knot);
    const mean =
      hour === knot ? from : from + ((slow.at(day, knot + KNOT_HOURS) - from) * (hour - knot)) / KNOT_HOURS;
    return mean + (this.#course[hour] ?? 0);
  }

  airTemperaturesOn(day: number): Float64Array {
    const key = this.#first + day;
    return (
      airs.find(key) ??
      airs.set(key, this.#blow(day, airs.evict(key) ?? allocateFloat64Array(QUARTER_HOURS_PER_DAY)))
    );
  }

  #blow(day: number, air: Float64Array): Float64Array {
    const course = this.#course;
    let base = this.#slow.at(day, 0);
    for (let knot = 0; knot < HOURS; knot += KNOT_HOURS) {
      const rise = (this.#slow.at(day, knot + KNOT_HOURS) - base) / KNOT_HOURS;
      for (let hour = knot; hour < knot + KNOT_HOURS; hour++) {
        const from = base + (course[hour] ?? 0);
        base += rise;
        const step = base + (course[hour + 1] ?? 0) - from;
        air[4 * hour] = from + step * 0.125;
        air[4 * hour + 1] = from + step * 0.375;
        air[4 * hour + 2] = from + step * 0.625;
        air[4 * hour + 3] = from + step * 0.875;
      }
    }
    return air;
  }

  irradianceOn(day: number): DayIrradiance {
    const key = this.#first + day;
    return skies.find(key) ?? skies.set(key, this.#painter.paint(day, skies.evict(key) ?? blankSky()));
  }
}

const blankSky = (): DayIrradiance => ({
  global: allocateFloat64Array(QUARTER_HOURS_PER_DAY),
  diffuse: allocateFloat64Array(QUARTER_HOURS_PER_DAY),
  beamEast: allocateFloat64Array(QUARTER_HOURS_PER_DAY),
  beamNorth: allocateFloat64Array(QUARTER_HOURS_PER_DAY),
  beamUp: allocateFloat64Array(QUARTER_HOURS_PER_DAY),
});

/** Norm and the departure of a few days' weather from it, K; the latter's SD is about 3 in winter, 2 in summer. */
class SlowAir {
  readonly #spells: ValueNoise3d;
  /** Warmth at the start and the end of the day asked for last. */
  readonly #warmths = new Float64Array(2);
  #day = NaN;
  readonly #climate: Climate;
  readonly #latitude: number;
  readonly #longitude: number;

  constructor(seed: Seed, climate: Climate, latitude: number, longitude: number) {
    this.#spells = new ValueNoise3d(seed, NOISE_CHANNEL.temperatureAnomaly);
    this.#climate = climate;
    this.#latitude = latitude;
    this.#longitude = longitude;
  }

  at(day: number, hour: number): number {
    const climate = this.#climate;
    const warmths = this.#warmths;
    if (day !== this.#day) {
      warmths[0] = day === this.#day + 1 ? (warmths[1] ?? 0) : annualCycle(climate, day);
      warmths[1] = annualCycle(climate, day + 1);
      this.#day = day;
    }
    const from = warmths[0] ?? 0;
    const to = warmths[1] ?? 0;
    const warm = from + ((to - from) * hour) / HOURS;
    const hours = day * HOURS + hour;
    const spell =
      this.#spells.at(this.#latitude / 8, (this.#longitude - 0.45 * hours) / 12, hours / 96) - 0.5;
    return climate.meanC + climate.amplitudeK * warm + spell * (14 - 3 * warm);
  }
}

const solar = new DayCache<SolarDay>(1024);
const solarDayOf = (day: number): SolarDay =>
  solar.find(day) ?? solar.set(day, solarDay(day, QUARTER_HOURS_PER_DAY));

/** The day that is being painted: the sun's height and hour angle at the middles of quarters, … */
const ups = new Float64Array(QUARTER_HOURS_PER_DAY);
const cosHours = new Float64Array(QUARTER_HOURS_PER_DAY);
const sinHours = new Float64Array(QUARTER_HOURS_PER_DAY);
/** … fairness of the weather, 0..1, at the hours, and quick clouds, 0..1, at the quarters. */
const fair = new Float64Array(HOURS + 1);
const quick = new Float64Array(QUARTER_HOURS_PER_DAY + 1);
/** Middles of the quarters as parts of the day. */
const PARTS = Float64Array.from(
  { length: QUARTER_HOURS_PER_DAY },
  (_, i) => (i + 0.5) / QUARTER_HOURS_PER_DAY,
);

/** Whether the sun is up in any quarter from `first` up to and without `end`. */
function isLit(first: number, end: number): boolean {
  for (let i = Math.max(0, first); i < end && i < QUARTER_HOURS_PER_DAY; i++)
    if ((ups[i] ?? 0) > 0) return true;
  return false;
}

/** Clear-sky index 0.12..1.05, radiation over that of a clear sky. */
function clearness(fair: number, quick: number): number {
  return Math.min(1.05, Math.max(0.12, 0.2 + 0.82 * fair + 1.4 * (quick - 0.5) * fair * (1 - fair)));
}

/** Fronts drift east by half a degree an hour; quick clouds stay where they are. */
class SkyPainter {
  readonly #synoptic: ValueNoise3d;
  readonly #meso: ValueNoise3d;
  readonly #fast: ValueNoiseOverTime;
  readonly #latitude: number;
  readonly #longitude: number;
  readonly #sinPhi: number;
  readonly #cosPhi: number;

  constructor(seed: Seed, latitude: number, longitude: number) {
    this.#synoptic = new ValueNoise3d(seed, NOISE_CHANNEL.synopticCloud);
    this.#meso = new ValueNoise3d(seed, NOISE_CHANNEL.mesoscaleCloud);
    this.#fast = new ValueNoiseOverTime(seed, NOISE_CHANNEL.localCloud, latitude / 0.1, longitude / 0.15);
    this.#latitude = latitude;
    this.#longitude = longitude;
    this.#sinPhi = Math.sin(latitude * RADIANS);
    this.#cosPhi = Math.cos(latitude * RADIANS);
  }

  /** Writes what clouds leave at the hours and the quarters between which the sun is up. */
  #cloud(day: number): void {
    const mean = meanClearSkyIndex(this.#latitude, day);
    for (let hour = 0; hour <= HOURS; hour++) {
      if (!isLit(4 * hour - 4, 4 * hour + 4)) continue;
      const hours = day * HOURS + hour;
      const drifting = this.#longitude - 0.5 * hours;
      const front = this.#synoptic.at(this.#latitude / 2.5, drifting / 3.5, hours / 30);
      const cloud = this.#meso.at(this.#latitude / 0.6, drifting / 0.8, hours / 5);
      fair[hour] = Math.min(1, Math.max(0, (0.72 * front + 0.28 * cloud - 0.5) * 2.6 + mean));
    }
    for (let i = 0; i <= QUARTER_HOURS_PER_DAY; i++) {
      if (isLit(i - 1, i + 1)) quick[i] = this.#fast.at(day * QUARTER_HOURS_PER_DAY + i);
    }
  }

  /** Writes a day's light into `sky`. */
  paint(day: number, sky: DayIrradiance): DayIrradiance {
    const { global, diffuse, beamEast, beamNorth, beamUp } = sky;
    const cosPhi = this.#cosPhi;
    const sinPhi = this.#sinPhi;
    const { equationOfTime, turn, cosTurn, sinTurn, sinDawn, cosDawn, sinStep, cosStep } = solarDayOf(day);
    const hourAngle = ((equationOfTime + 4 * this.#longitude + turn / 2) / 4 - 180) * RADIANS;
    let cosHour = Math.cos(hourAngle);
    let sinHour = Math.sin(hourAngle);
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      const part = PARTS[i] ?? 0;
      ups[i] = (sinDawn + sinStep * part) * sinPhi + (cosDawn + cosStep * part) * cosHour * cosPhi;
      cosHours[i] = cosHour;
      sinHours[i] = sinHour;
      const cosNext = cosHour * cosTurn - sinHour * sinTurn;
      sinHour = sinHour * cosTurn + cosHour * sinTurn;
      cosHour = cosNext;
    }
    this.#cloud(day);
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      const up = ups[i] ?? 0;
      if (up <= 0) {
        global[i] = diffuse[i] = beamEast[i] = beamNorth[i] = beamUp[i] = 0;
        continue;
      }
      const part = PARTS[i] ?? 0;
      const sinDecl = sinDawn + sinStep * part;
      const cosDecl = cosDawn + cosStep * part;
      const from = fair[i >> 2] ?? 0;
      const fairness = from + ((fair[(i >> 2) + 1] ?? 0) - from) * (((i & 3) + 0.5) / 4);
      const level = globalIrradiance(up, clearness(fairness, ((quick[i] ?? 0) + (quick[i + 1] ?? 0)) / 2));
      const spread = diffuseIrradiance(level, up);
      const beam = beamIrradiance(level, spread, up);
      global[i] = level;
      diffuse[i] = spread;
      beamEast[i] = -beam * cosDecl * (sinHours[i] ?? 0);
      beamNorth[i] = beam * (sinDecl * cosPhi - cosDecl * (cosHours[i] ?? 0) * sinPhi);
      beamUp[i] = beam * up;
    }
    return sky;
  }
}
