/**
 * Weather of a place: air temperature, clouds and the light under them, shared by all who live there and, through
 * noise in space and time, alike at neighbouring places (simulation.md B2, B3). Values stand for the middles of
 * the 96 quarter hours of a UTC day.
 */
import { climateOf, meanClearness, warmth } from './climate.ts';
import type { Climate } from './climate.ts';
import { DayMemory, Memory } from './memory.ts';
import { CHANNEL, Noise3, NoiseColumn } from './noise.ts';
import type { Seed } from './noise.ts';
import { beamLight, diffuseLight, globalLight } from './pv.ts';
import { float64Row } from './rows.ts';
import { solarDay } from './sun.ts';
import type { SolarDay } from './sun.ts';

/** Bound once: under a test runner's context each use of a global is a slow lookup. */
const { PI, cos, floor, max, min, sin } = Math;
const { isNaN } = Number;

const QUARTERS = 96;
const HOURS = 24;
const RADIANS = PI / 180;
/** Slow weather is straight between every third hour. */
const KNOT_HOURS = 3;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** A day's light in W/m²: global and diffuse on the level, the beam as a vector; all 0 with the sun down. */
export interface Sky {
  readonly global: Float64Array;
  readonly diffuse: Float64Array;
  readonly beamEast: Float64Array;
  readonly beamNorth: Float64Array;
  readonly beamUp: Float64Array;
}

/** Rows are read at once: those of other days and places are written over them later. */
export interface Weather {
  /** The same text for the same weather. */
  readonly key: string;
  readonly climate: Climate;
  /** Mean temperature of a UTC day (days since 1970), C. */
  dayMean(day: number): number;
  /** Outdoor temperature at an instant, C. */
  airAt(atMs: number): number;
  /** Outdoor temperature at the middles of a day's quarters, C. */
  airOf(day: number): Float64Array;
  skyOf(day: number): Sky;
}

/** Days of all places together: a year of one place, or a day of a thousand. */
const KEPT_DAYS = 1024;
const airs = new DayMemory<Float64Array>(KEPT_DAYS);
const skies = new DayMemory<Sky>(KEPT_DAYS);
/** Their days are counted on from place to place; modulo KEPT_DAYS a year of one and a day of all are apart. */
const TURN = 2 ** 22 + 379;
let turns = 0;

const places = new Memory<string, Place>(2000);
let latest: Place | undefined;

export function weatherOf(seed: Seed, latitude: number, longitude: number): Weather {
  // A household asks for the same several times, and writing the key is slow.
  if (latest?.isAt(seed, latitude, longitude)) return latest;
  const key = `${seed.hi} ${seed.lo} ${latitude} ${longitude}`;
  return (latest = places.get(key, () => new Place(key, seed, latitude, longitude)));
}

class Place implements Weather {
  readonly key: string;
  readonly climate: Climate;
  readonly #first = turns++ * TURN;
  readonly #seed: Seed;
  readonly #latitude: number;
  readonly #longitude: number;
  readonly #slow: SlowAir;
  readonly #painter: SkyPainter;
  /** The day's course is ± 4 K, warmest at 15 h solar time. */
  readonly #course = new Float64Array(HOURS + 1);

  constructor(key: string, seed: Seed, latitude: number, longitude: number) {
    this.key = key;
    this.climate = climateOf(latitude, longitude);
    this.#seed = seed;
    this.#latitude = latitude;
    this.#longitude = longitude;
    this.#slow = new SlowAir(seed, this.climate, latitude, longitude);
    this.#painter = new SkyPainter(seed, latitude, longitude);
    const course = this.#course;
    for (let hour = 0; hour < HOURS; hour++) {
      course[hour] = 4 * cos((2 * PI * (hour + longitude / 15 - 15)) / HOURS);
    }
    course[HOURS] = course[0] ?? 0;
  }

  isAt(seed: Seed, latitude: number, longitude: number): boolean {
    const { hi, lo } = this.#seed;
    return latitude === this.#latitude && longitude === this.#longitude && seed.lo === lo && seed.hi === hi;
  }

  dayMean(day: number): number {
    return this.#slow.at(day, 12);
  }

  airAt(atMs: number): number {
    const day = floor(atMs / DAY_MS);
    const hours = atMs / HOUR_MS - day * HOURS;
    const hour = floor(hours);
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

  airOf(day: number): Float64Array {
    const turn = this.#first + day;
    return airs.find(turn) ?? airs.keep(turn, this.#blow(day, airs.release(turn) ?? float64Row(QUARTERS)));
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

  skyOf(day: number): Sky {
    const turn = this.#first + day;
    return skies.find(turn) ?? skies.keep(turn, this.#painter.paint(day, skies.release(turn) ?? blankSky()));
  }
}

const blankSky = (): Sky => ({
  global: float64Row(QUARTERS),
  diffuse: float64Row(QUARTERS),
  beamEast: float64Row(QUARTERS),
  beamNorth: float64Row(QUARTERS),
  beamUp: float64Row(QUARTERS),
});

/** Norm and the departure of a few days' weather from it, K; the latter's SD is about 3 in winter, 2 in summer. */
class SlowAir {
  readonly #spells: Noise3;
  /** Warmth at the start and the end of the day asked for last. */
  readonly #warmths = new Float64Array(2);
  #day = NaN;
  readonly #climate: Climate;
  readonly #latitude: number;
  readonly #longitude: number;

  constructor(seed: Seed, climate: Climate, latitude: number, longitude: number) {
    this.#spells = new Noise3(seed, CHANNEL.warmth);
    this.#climate = climate;
    this.#latitude = latitude;
    this.#longitude = longitude;
  }

  at(day: number, hour: number): number {
    const climate = this.#climate;
    const warmths = this.#warmths;
    if (day !== this.#day) {
      warmths[0] = day === this.#day + 1 ? (warmths[1] ?? 0) : warmth(climate, day);
      warmths[1] = warmth(climate, day + 1);
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

const solar = new DayMemory<SolarDay>(1024);
const solarDayOf = (day: number): SolarDay => solar.find(day) ?? solar.keep(day, solarDay(day, QUARTERS));

/** Fairness of the weather, 0..1, at the hours of a day; NaN where not asked for. */
const fair = new Float64Array(HOURS + 1);

/** Clear-sky index 0.12..1.05, radiation over that of a clear sky. */
function clearness(fair: number, quick: number): number {
  return min(1.05, max(0.12, 0.2 + 0.82 * fair + 1.4 * (quick - 0.5) * fair * (1 - fair)));
}

/** Fronts drift east by half a degree an hour; quick clouds stay where they are. */
class SkyPainter {
  readonly #synoptic: Noise3;
  readonly #meso: Noise3;
  readonly #fast: NoiseColumn;
  readonly #latitude: number;
  readonly #longitude: number;
  readonly #sinPhi: number;
  readonly #cosPhi: number;

  constructor(seed: Seed, latitude: number, longitude: number) {
    this.#synoptic = new Noise3(seed, CHANNEL.synoptic);
    this.#meso = new Noise3(seed, CHANNEL.meso);
    this.#fast = new NoiseColumn(seed, CHANNEL.fast, latitude / 0.1, longitude / 0.15);
    this.#latitude = latitude;
    this.#longitude = longitude;
    this.#sinPhi = sin(latitude * RADIANS);
    this.#cosPhi = cos(latitude * RADIANS);
  }

  #fairAt(hours: number, mean: number): number {
    const drifting = this.#longitude - 0.5 * hours;
    const front = this.#synoptic.at(this.#latitude / 2.5, drifting / 3.5, hours / 30);
    const cloud = this.#meso.at(this.#latitude / 0.6, drifting / 0.8, hours / 5);
    return min(1, max(0, (0.72 * front + 0.28 * cloud - 0.5) * 2.6 + mean));
  }

  /** Writes a day's light into `sky`. */
  paint(day: number, sky: Sky): Sky {
    const { global, diffuse, beamEast, beamNorth, beamUp } = sky;
    const fast = this.#fast;
    const mean = meanClearness(this.#latitude, day);
    const cosPhi = this.#cosPhi;
    const sinPhi = this.#sinPhi;
    const { equationOfTime, turn, cosTurn, sinTurn, sinDawn, cosDawn, sinStep, cosStep } = solarDayOf(day);
    const hourAngle = ((equationOfTime + 4 * this.#longitude + turn / 2) / 4 - 180) * RADIANS;
    let cosHour = cos(hourAngle);
    let sinHour = sin(hourAngle);
    fair.fill(NaN);
    let quick = NaN;
    for (let i = 0; i < QUARTERS; i++) {
      const part = (i + 0.5) / QUARTERS;
      const sinDecl = sinDawn + sinStep * part;
      const cosDecl = cosDawn + cosStep * part;
      const up = sinDecl * sinPhi + cosDecl * cosHour * cosPhi;
      if (up > 0) {
        const hour = i >> 2;
        let from = fair[hour] ?? 0;
        if (isNaN(from)) from = fair[hour] = this.#fairAt(day * HOURS + hour, mean);
        let to = fair[hour + 1] ?? 0;
        if (isNaN(to)) to = fair[hour + 1] = this.#fairAt(day * HOURS + hour + 1, mean);
        const before = isNaN(quick) ? fast.at(day * QUARTERS + i) : quick;
        quick = fast.at(day * QUARTERS + i + 1);
        const fairness = from + (to - from) * (((i & 3) + 0.5) / 4);
        const level = globalLight(up, clearness(fairness, (before + quick) / 2));
        const spread = diffuseLight(level, up);
        const beam = beamLight(level, spread, up);
        global[i] = level;
        diffuse[i] = spread;
        beamEast[i] = -beam * cosDecl * sinHour;
        beamNorth[i] = beam * (sinDecl * cosPhi - cosDecl * cosHour * sinPhi);
        beamUp[i] = beam * up;
      } else {
        quick = NaN;
        global[i] = diffuse[i] = beamEast[i] = beamNorth[i] = beamUp[i] = 0;
      }
      const cosNext = cosHour * cosTurn - sinHour * sinTurn;
      sinHour = sinHour * cosTurn + cosHour * sinTurn;
      cosHour = cosNext;
    }
    return sky;
  }
}
