/**
 * Weather of a place: air temperature, clouds and the light under them, shared by all who live there and, through
 * noise in space and time, alike at neighbouring places (simulation.md B2, B3). Values stand for the middles of
 * the 96 quarter hours of a UTC day.
 */
import { climateOf, meanClearness, warmth } from './climate.ts';
import type { Climate } from './climate.ts';
import { Memory } from './memory.ts';
import { CHANNEL, noise3 } from './noise.ts';
import type { Seed } from './noise.ts';
import { radiation } from './pv.ts';
import { float64Row } from './rows.ts';
import { solarTerms } from './sun.ts';

/** Bound once: under a test runner's context each use of a global is a slow lookup. */
const { PI, cos, floor, max, min, sin } = Math;

const QUARTERS = 96;
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
  dayMean(day: number): number;
  /** Outdoor temperature at an instant, C. */
  airAt(atMs: number): number;
  /** Outdoor temperature at the middles of a day's quarters, C. */
  airOf(day: number): Float64Array;
  skyOf(day: number): Sky;
}

/** Days of all places together; a year of one place, or a day of a thousand. */
const KEPT_DAYS = 1200;
const airs = new Memory<string, Float64Array>(KEPT_DAYS);
const skies = new Memory<string, Sky>(KEPT_DAYS);
const places = new Memory<string, Weather>(2000);

export function weatherOf(seed: Seed, latitude: number, longitude: number): Weather {
  const key = `${seed.hi} ${seed.lo} ${latitude} ${longitude}`;
  return places.get(key, () => createWeather(key, seed, latitude, longitude));
}

function createWeather(key: string, seed: Seed, latitude: number, longitude: number): Weather {
  const climate = climateOf(latitude, longitude);
  const spells = noise3(seed, CHANNEL.warmth);
  /** Norm and the departure of a few days' weather from it, K; the latter's SD is about 3 in winter, 2 in summer. */
  const slow = (hour: number): number => {
    const warm = warmth(climate, hour / 24);
    const spell = spells(latitude / 8, (longitude - 0.45 * hour) / 12, hour / 96) - 0.5;
    return climate.meanC + climate.amplitudeK * warm + spell * (14 - 3 * warm);
  };
  /** At a full hour; the day's course is ± 4 K, warmest at 15 h solar time. */
  const atHour = (hour: number): number => slow(hour) + 4 * cos((2 * PI * (hour + longitude / 15 - 15)) / 24);
  const airOf = (day: number): Float64Array => {
    const air = float64Row(QUARTERS);
    let from = atHour(day * 24);
    for (let i = 0; i < QUARTERS; i += 4) {
      const to = atHour(day * 24 + i / 4 + 1);
      for (let j = 0; j < 4; j++) air[i + j] = from + (to - from) * ((j + 0.5) / 4);
      from = to;
    }
    return air;
  };
  const skyOf = skyMaker(seed, latitude, longitude);
  return {
    key,
    climate,
    dayMean: (day) => slow(day * 24 + 12),
    airAt: (atMs) => {
      const hour = floor(atMs / HOUR_MS);
      const from = atHour(hour);
      return from + (atHour(hour + 1) - from) * (atMs / HOUR_MS - hour);
    },
    airOf: (day) => airs.get(`${key} ${day}`, () => airOf(day)),
    skyOf: (day) => skies.get(`${key} ${day}`, () => skyOf(day)),
  };
}

/** Fronts drift east by half a degree an hour; quick clouds stay where they are. */
function skyMaker(seed: Seed, latitude: number, longitude: number): (day: number) => Sky {
  const synoptic = noise3(seed, CHANNEL.synoptic);
  const meso = noise3(seed, CHANNEL.meso);
  const fast = noise3(seed, CHANNEL.fast);
  /** Clear-sky index 0.12..1.05: radiation over that of a clear sky. */
  const clearness = (hours: number, mean: number): number => {
    const drifting = longitude - 0.5 * hours;
    const front = synoptic(latitude / 2.5, drifting / 3.5, hours / 30);
    const cloud = meso(latitude / 0.6, drifting / 0.8, hours / 5);
    const b = min(1, max(0, (0.72 * front + 0.28 * cloud - 0.5) * 2.6 + mean));
    const quick = fast(latitude / 0.1, longitude / 0.15, hours * 4);
    return min(1.05, max(0.12, 0.2 + 0.82 * b + 1.4 * (quick - 0.5) * b * (1 - b)));
  };
  const phi = (latitude * PI) / 180;
  const cosPhi = cos(phi);
  const sinPhi = sin(phi);
  return (day) => {
    const sky = {
      global: float64Row(QUARTERS),
      diffuse: float64Row(QUARTERS),
      beamEast: float64Row(QUARTERS),
      beamNorth: float64Row(QUARTERS),
      beamUp: float64Row(QUARTERS),
    };
    const mean = meanClearness(latitude, day);
    const [dawn, dusk] = [solarTerms(day * DAY_MS), solarTerms((day + 1) * DAY_MS)];
    for (let i = 0; i < QUARTERS; i++) {
      // Between two midnights both terms are all but straight lines.
      const part = (i + 0.5) / QUARTERS;
      const declination = dawn.declination + (dusk.declination - dawn.declination) * part;
      const equation = dawn.equationOfTime + (dusk.equationOfTime - dawn.equationOfTime) * part;
      const hourAngle = ((part * 1440 + equation + 4 * longitude) / 4 - 180) * (PI / 180);
      const cosDecl = cos(declination);
      const sinDecl = sin(declination);
      const cosHour = cos(hourAngle);
      const up = sinDecl * sinPhi + cosDecl * cosHour * cosPhi;
      if (up <= 0) continue;
      const light = radiation(up, clearness(day * 24 + part * 24, mean));
      sky.global[i] = light.global;
      sky.diffuse[i] = light.diffuse;
      sky.beamEast[i] = -light.beam * cosDecl * sin(hourAngle);
      sky.beamNorth[i] = light.beam * (sinDecl * cosPhi - cosDecl * cosHour * sinPhi);
      sky.beamUp[i] = light.beam * up;
    }
    return sky;
  };
}
