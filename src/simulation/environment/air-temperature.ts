/** Outdoor air temperature of a place through the day: straight lines between days, and the course of the sun's heat. */
import { DAY_MS, HOUR_MS, QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { NOISE_CHANNEL } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { allocateFloat64Array } from '../kernel/typed-arrays.ts';
import type { DailyWeather } from './daily-weather.ts';
import { BlendWeights, NoiseField } from './noise-field.ts';

const HOURS_PER_DAY = 24;
const NOON = 12;
/** Solar hours at which a day is coldest and warmest; between the two a day's own range holds. */
const COLDEST_HOUR = 6;
const WARMEST_HOUR = 15;
/** Solar hours from the warmest time of a day to the coldest of the next. */
const NIGHT_HOURS = HOURS_PER_DAY - WARMEST_HOUR + COLDEST_HOUR;
const RADIANS = Math.PI / 180;

/** Chance from hour to hour, K, new every so many quarter hours, alike within some 100 km. */
const HOURLY_STEP = 12;
const HOURLY_WEIGHTS = new BlendWeights(HOURLY_STEP, 0.5, 0.35);
const HOURLY_SCALE = { spacingKm: 75, reachKm: 140 };
const HOURLY_KNOTS = QUARTER_HOURS_PER_DAY / HOURLY_STEP;
/** The chance at the knots of the day that is computed. */
const knots = new Float64Array(HOURLY_KNOTS + 1);

/** Departure from the daily mean at a solar hour, in parts of the day's range. */
function courseAt(solarHour: number): number {
  const angle = 15 * (solarHour - WARMEST_HOUR) * RADIANS;
  return 0.5 * (0.94 * Math.cos(angle) + 0.16 * Math.cos(2 * angle + 64 * RADIANS));
}

/** Both waves of courseAt in the middles of a day's quarter hours at Greenwich: turned by the longitude they are a place's. */
const wave = (of: (angle: number) => number, times: number, phase: number): Float64Array =>
  Float64Array.from({ length: QUARTER_HOURS_PER_DAY }, (_, i) =>
    of((times * 15 * ((i + 0.5) / 4 - WARMEST_HOUR) + phase) * RADIANS),
  );
const ONCE = { cos: wave(Math.cos, 1, 0), sin: wave(Math.sin, 1, 0) };
const TWICE = { cos: wave(Math.cos, 2, 64), sin: wave(Math.sin, 2, 64) };

/** Writes courseAt the middles of a UTC day's quarter hours into `course`, at a longitude in degrees. */
function fillCourse(longitude: number, course: Float64Array): void {
  const cosOnce = 0.47 * Math.cos(longitude * RADIANS);
  const sinOnce = 0.47 * Math.sin(longitude * RADIANS);
  const cosTwice = 0.08 * Math.cos(2 * longitude * RADIANS);
  const sinTwice = 0.08 * Math.sin(2 * longitude * RADIANS);
  for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
    course[i] =
      (ONCE.cos[i] ?? 0) * cosOnce -
      (ONCE.sin[i] ?? 0) * sinOnce +
      (TWICE.cos[i] ?? 0) * cosTwice -
      (TWICE.sin[i] ?? 0) * sinTwice;
  }
}

/** Air temperature at a place in degrees Celsius. Days are UTC days, counted since 1970. */
export class AirTemperature {
  readonly #daily: DailyWeather;
  readonly #hourly: NoiseField;
  /** Hours by which the sun is ahead of Greenwich. */
  readonly #solarLead: number;
  /** courseAt the middles of a UTC day's quarter hours. */
  readonly #course = allocateFloat64Array(QUARTER_HOURS_PER_DAY);

  constructor(seed: Seed, daily: DailyWeather, latitude: number, longitude: number) {
    this.#daily = daily;
    this.#hourly = new NoiseField(seed, NOISE_CHANNEL.hourlyAir, HOURLY_SCALE, latitude, longitude);
    this.#solarLead = longitude / 15;
    fillCourse(longitude, this.#course);
  }

  /** Temperature at an instant in ms, C. */
  at(atMs: number): number {
    const day = Math.floor(atMs / DAY_MS);
    const hours = atMs / HOUR_MS - day * HOURS_PER_DAY;
    const solar = hours + this.#solarLead;
    const shift = Math.floor(solar / HOURS_PER_DAY);
    const solarHour = solar - shift * HOURS_PER_DAY;
    return (
      this.#meanAt(day + shift, solarHour) +
      this.#rangeAt(day + shift, solarHour) * courseAt(solarHour) +
      this.#hourlyAt(day * QUARTER_HOURS_PER_DAY + hours * 4)
    );
  }

  /**
   * The mean of a solar day at an hour of it: straight from midnight to noon to midnight, midnights halfway between days,
   * noons such that the day's mean is what it is.
   */
  #meanAt(day: number, solarHour: number): number {
    const daily = this.#daily;
    const mean = daily.meanOn(day);
    const start = (daily.meanOn(day - 1) + mean) / 2;
    const end = (mean + daily.meanOn(day + 1)) / 2;
    const noon = 2 * mean - (start + end) / 2;
    if (solarHour < NOON) return start + ((noon - start) * solarHour) / NOON;
    return noon + ((end - noon) * (solarHour - NOON)) / NOON;
  }

  #rangeAt(day: number, solarHour: number): number {
    const daily = this.#daily;
    const range = daily.rangeOn(day);
    if (solarHour < COLDEST_HOUR) {
      const before = daily.rangeOn(day - 1);
      return before + ((range - before) * (solarHour + HOURS_PER_DAY - WARMEST_HOUR)) / NIGHT_HOURS;
    }
    if (solarHour <= WARMEST_HOUR) return range;
    return range + ((daily.rangeOn(day + 1) - range) * (solarHour - WARMEST_HOUR)) / NIGHT_HOURS;
  }

  /** Writes the temperatures at the middles of the 96 quarter hours of a day, C, into `temperatures` and returns it. */
  fillDay(day: number, temperatures: Float64Array): Float64Array {
    this.#fillHourly(day, temperatures);
    const first = 0.125 + this.#solarLead;
    let quarter = 0;
    while (quarter < QUARTER_HOURS_PER_DAY) {
      const solar = first + quarter / 4;
      const shift = Math.floor(solar / HOURS_PER_DAY);
      const from = solar - shift * HOURS_PER_DAY;
      const count = Math.max(1, Math.ceil((HOURS_PER_DAY - from) * 4));
      const end = Math.min(QUARTER_HOURS_PER_DAY, quarter + count);
      this.#addSolarDay(day + shift, from, quarter, end, temperatures);
      quarter = end;
    }
    return temperatures;
  }

  /**
   * Adds mean and course of a solar day to the quarter hours `quarter` to `end`, the first of which has its middle at a solar
   * hour: in each a straight line between bends, of the mean and of the range.
   */
  #addSolarDay(day: number, hour: number, quarter: number, end: number, temperatures: Float64Array): void {
    const daily = this.#daily;
    const [meanBefore, mean, meanAfter] = [daily.meanOn(day - 1), daily.meanOn(day), daily.meanOn(day + 1)];
    const [rangeBefore, range, rangeAfter] = [
      daily.rangeOn(day - 1),
      daily.rangeOn(day),
      daily.rangeOn(day + 1),
    ];
    const noon = (6 * mean - meanBefore - meanAfter) / 4;
    const rise = (noon - (meanBefore + mean) / 2) / NOON;
    const fall = ((mean + meanAfter) / 2 - noon) / NOON;
    const into = (range - rangeBefore) / NIGHT_HOURS;
    const outOf = (rangeAfter - range) / NIGHT_HOURS;
    const course = this.#course;
    for (let i = quarter; i < end; i++) {
      const since = hour - NOON;
      const early = Math.min(0, hour - COLDEST_HOUR);
      const late = Math.max(0, hour - WARMEST_HOUR);
      const span = range + into * early + outOf * late;
      temperatures[i] =
        (temperatures[i] ?? 0) + noon + (since < 0 ? rise : fall) * since + span * (course[i] ?? 0);
      hour += 0.25;
    }
  }

  /** Writes the chance of the hours into `temperatures`, K. */
  #fillHourly(day: number, temperatures: Float64Array): void {
    const { from, to } = HOURLY_WEIGHTS;
    this.#hourly.fill(day * HOURLY_KNOTS, HOURLY_KNOTS + 1, knots);
    for (let knot = 0; knot < HOURLY_KNOTS; knot++) {
      const before = knots[knot] ?? 0;
      const next = knots[knot + 1] ?? 0;
      const first = knot * HOURLY_STEP;
      for (let step = 0; step < HOURLY_STEP; step++) {
        temperatures[first + step] = (from[step] ?? 0) * before + (to[step] ?? 0) * next;
      }
    }
  }

  /** The chance of the hours at a time in quarter hours since 1970, K: straight between the middles of quarter hours. */
  #hourlyAt(quarters: number): number {
    const middle = Math.floor(quarters - 0.5);
    const part = quarters - 0.5 - middle;
    const before = this.#hourlyIn(middle);
    return part === 0 ? before : before + (this.#hourlyIn(middle + 1) - before) * part;
  }

  #hourlyIn(quarter: number): number {
    const knot = Math.floor(quarter / HOURLY_STEP);
    const step = quarter - knot * HOURLY_STEP;
    const { from, to } = HOURLY_WEIGHTS;
    return (from[step] ?? 0) * this.#hourly.at(knot) + (to[step] ?? 0) * this.#hourly.at(knot + 1);
  }
}
