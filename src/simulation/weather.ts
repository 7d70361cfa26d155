/**
 * Weather of a place: air temperature, clouds and the light under them, shared by all who live there and, through
 * noise in space and time, alike at neighbouring places (simulation.md B2, B3). Values stand for the middles of
 * the 96 quarter hours of a UTC day.
 */
import { climateOf, meanClearness, warmth } from './climate.ts';
import type { Climate } from './climate.ts';
import { Memory } from './memory.ts';
import { CHANNEL, Noise3, NoiseColumn } from './noise.ts';
import type { Seed } from './noise.ts';
import { radiation } from './pv.ts';
import { float64Row } from './rows.ts';
import { solarTerms } from './sun.ts';
import type { SolarTerms } from './sun.ts';

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

export interface Weather {
  /** The same text for the same weather. */
  readonly key: string;
  readonly climate: Climate;
  /** Mean temperature of a UTC day (days since 1970), C. */
  readonly dayMean: (day: number) => number;
  /** Outdoor temperature at an instant, C. */
  airAt(atMs: number): number;
  /** Outdoor temperature at the middles of a day's quarters, C. */
  airOf(day: number): Float64Array;
  skyOf(day: number): Sky;
}

/** Days of all places together; a year of one place, or a day of a thousand. */
const KEPT_DAYS = 1200;
/** Keyed by the place's turn and the day. */
const airs = new Memory<number, Float64Array>(KEPT_DAYS);
const skies = new Memory<number, Sky>(KEPT_DAYS);
const places = new Memory<string, Weather>(2000);
const TURN = 2 ** 22;
let turns = 0;

export function weatherOf(seed: Seed, latitude: number, longitude: number): Weather {
  const key = `${seed.hi} ${seed.lo} ${latitude} ${longitude}`;
  return places.get(key, () => createWeather(key, seed, latitude, longitude));
}

function createWeather(key: string, seed: Seed, latitude: number, longitude: number): Weather {
  const climate = climateOf(latitude, longitude);
  const norm = new SlowAir(seed, climate, latitude, longitude);
  const painter = new SkyPainter(seed, latitude, longitude);
  const first = turns++ * TURN;
  /** The day's course is ± 4 K, warmest at 15 h solar time. */
  const course = Float64Array.from({ length: HOURS }, (_, hour) => {
    return 4 * cos((2 * PI * (hour + longitude / 15 - 15)) / HOURS);
  });
  const atHour = (day: number, hour: number): number => {
    const knot = hour - (hour % KNOT_HOURS);
    const from = norm.at(day, knot);
    const mean =
      hour === knot ? from : from + ((norm.at(day, knot + KNOT_HOURS) - from) * (hour - knot)) / KNOT_HOURS;
    return mean + (course[hour % HOURS] ?? 0);
  };
  const airOf = (day: number): Float64Array => {
    const air = float64Row(QUARTERS);
    let base = norm.at(day, 0);
    for (let knot = 0; knot < HOURS; knot += KNOT_HOURS) {
      const rise = (norm.at(day, knot + KNOT_HOURS) - base) / KNOT_HOURS;
      for (let hour = knot; hour < knot + KNOT_HOURS; hour++) {
        const from = base + (course[hour] ?? 0);
        base += rise;
        const step = base + (course[(hour + 1) % HOURS] ?? 0) - from;
        for (let j = 0; j < 4; j++) air[4 * hour + j] = from + step * ((j + 0.5) / 4);
      }
    }
    return air;
  };
  return {
    key,
    climate,
    dayMean: (day) => norm.at(day, 12),
    airAt: (atMs) => {
      const day = floor(atMs / DAY_MS);
      const hours = atMs / HOUR_MS - day * HOURS;
      const hour = floor(hours);
      const from = atHour(day, hour);
      return from + (atHour(day, hour + 1) - from) * (hours - hour);
    },
    airOf: (day) => airs.get(first + day, () => airOf(day)),
    skyOf: (day) => skies.get(first + day, () => painter.paint(day)),
  };
}

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

const solar = new Memory<number, SolarTerms>(1200);
/** At the start of a UTC day; the same for all places. */
const termsOf = (day: number): SolarTerms => solar.get(day, () => solarTerms(day * DAY_MS));

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
  /** Fairness of the weather, 0..1, at the hours of a day; NaN where not asked for. */
  readonly #fair = new Float64Array(HOURS + 1);

  constructor(seed: Seed, latitude: number, longitude: number) {
    this.#synoptic = new Noise3(seed, CHANNEL.synoptic);
    this.#meso = new Noise3(seed, CHANNEL.meso);
    this.#fast = new NoiseColumn(seed, CHANNEL.fast, latitude / 0.1, longitude / 0.15);
    this.#latitude = latitude;
    this.#longitude = longitude;
  }

  #fairAt(hours: number, mean: number): number {
    const drifting = this.#longitude - 0.5 * hours;
    const front = this.#synoptic.at(this.#latitude / 2.5, drifting / 3.5, hours / 30);
    const cloud = this.#meso.at(this.#latitude / 0.6, drifting / 0.8, hours / 5);
    return min(1, max(0, (0.72 * front + 0.28 * cloud - 0.5) * 2.6 + mean));
  }

  paint(day: number): Sky {
    const sky = {
      global: float64Row(QUARTERS),
      diffuse: float64Row(QUARTERS),
      beamEast: float64Row(QUARTERS),
      beamNorth: float64Row(QUARTERS),
      beamUp: float64Row(QUARTERS),
    };
    const { global, diffuse, beamEast, beamNorth, beamUp } = sky;
    const mean = meanClearness(this.#latitude, day);
    const cosPhi = cos(this.#latitude * RADIANS);
    const sinPhi = sin(this.#latitude * RADIANS);
    // Between two midnights declination and equation of time are all but straight lines.
    const dawn = termsOf(day);
    const dusk = termsOf(day + 1);
    const turn = (dusk.equationOfTime - dawn.equationOfTime + 1440) / QUARTERS;
    const hourAngle = ((dawn.equationOfTime + 4 * this.#longitude + turn / 2) / 4 - 180) * RADIANS;
    const cosTurn = cos((turn / 4) * RADIANS);
    const sinTurn = sin((turn / 4) * RADIANS);
    let cosHour = cos(hourAngle);
    let sinHour = sin(hourAngle);
    const sinDawn = sin(dawn.declination);
    const cosDawn = cos(dawn.declination);
    const sinStep = sin(dusk.declination) - sinDawn;
    const cosStep = cos(dusk.declination) - cosDawn;
    const fair = this.#fair.fill(NaN);
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
        const before = isNaN(quick) ? this.#fast.at(day * QUARTERS + i) : quick;
        quick = this.#fast.at(day * QUARTERS + i + 1);
        const fairness = from + (to - from) * (((i & 3) + 0.5) / 4);
        const light = radiation(up, clearness(fairness, (before + quick) / 2));
        global[i] = light.global;
        diffuse[i] = light.diffuse;
        beamEast[i] = -light.beam * cosDecl * sinHour;
        beamNorth[i] = light.beam * (sinDecl * cosPhi - cosDecl * cosHour * sinPhi);
        beamUp[i] = light.beam * up;
      } else quick = NaN;
      const cosNext = cosHour * cosTurn - sinHour * sinTurn;
      sinHour = sinHour * cosTurn + cosHour * sinTurn;
      cosHour = cosNext;
    }
    return sky;
  }
}
