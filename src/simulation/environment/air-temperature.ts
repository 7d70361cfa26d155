/** Outdoor air temperature of a place: norm year, weather of some days, and the course of the day. */
import { DAY_MS, HOUR_MS } from '../../domain/api/durations.ts';
import { NOISE_CHANNEL } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { ValueNoise3d } from '../kernel/value-noise.ts';
import { annualTemperatureCycle } from './climate.ts';
import type { Climate } from './climate.ts';

const HOURS_PER_DAY = 24;
/** The daily mean is computed at every third hour and is a straight line between. */
const KNOT_HOURS = 3;

/**
 * Norm temperature and the departure of a few days' weather from it, without the course of the day. The standard
 * deviation of the departure is about 3 K in winter, 2 K in summer.
 */
class DailyMeanTemperature {
  readonly #anomaly: ValueNoise3d;
  /** Annual cycle at the start and the end of the day asked for last. */
  readonly #cycle = new Float64Array(2);
  #day = NaN;
  readonly #climate: Climate;
  readonly #latitude: number;
  readonly #longitude: number;

  constructor(seed: Seed, climate: Climate, latitude: number, longitude: number) {
    this.#anomaly = new ValueNoise3d(seed, NOISE_CHANNEL.temperatureAnomaly);
    this.#climate = climate;
    this.#latitude = latitude;
    this.#longitude = longitude;
  }

  at(day: number, hour: number): number {
    const climate = this.#climate;
    const cycle = this.#cycle;
    if (day !== this.#day) {
      cycle[0] = day === this.#day + 1 ? (cycle[1] ?? 0) : annualTemperatureCycle(climate, day);
      cycle[1] = annualTemperatureCycle(climate, day + 1);
      this.#day = day;
    }
    const start = cycle[0] ?? 0;
    const end = cycle[1] ?? 0;
    const season = start + ((end - start) * hour) / HOURS_PER_DAY;
    const hours = day * HOURS_PER_DAY + hour;
    // Weather systems are some 8 degrees high and 12 wide, last four days and drift east by 0.45 degrees an hour.
    const anomaly =
      this.#anomaly.at(this.#latitude / 8, (this.#longitude - 0.45 * hours) / 12, hours / 96) - 0.5;
    return climate.meanC + climate.amplitudeK * season + anomaly * (14 - 3 * season);
  }
}

/** Air temperature at a place in degrees Celsius. Days are UTC days, counted since 1970. */
export class AirTemperature {
  readonly #mean: DailyMeanTemperature;
  /** Departure from the daily mean at each UTC hour, K: 4 K up or down, warmest at 15 h solar time. */
  readonly #dailyCourse = new Float64Array(HOURS_PER_DAY + 1);

  constructor(seed: Seed, climate: Climate, latitude: number, longitude: number) {
    this.#mean = new DailyMeanTemperature(seed, climate, latitude, longitude);
    const course = this.#dailyCourse;
    for (let hour = 0; hour < HOURS_PER_DAY; hour++) {
      course[hour] = 4 * Math.cos((2 * Math.PI * (hour + longitude / 15 - 15)) / HOURS_PER_DAY);
    }
    course[HOURS_PER_DAY] = course[0] ?? 0;
  }

  /** Mean of a day, C. */
  meanOn(day: number): number {
    return this.#mean.at(day, 12);
  }

  /** Temperature at an instant in ms, C. */
  at(atMs: number): number {
    const day = Math.floor(atMs / DAY_MS);
    const hours = atMs / HOUR_MS - day * HOURS_PER_DAY;
    const hour = Math.floor(hours);
    const from = this.#atHour(day, hour);
    return from + (this.#atHour(day, hour + 1) - from) * (hours - hour);
  }

  #atHour(day: number, hour: number): number {
    const means = this.#mean;
    const knot = hour - (hour % KNOT_HOURS);
    const from = means.at(day, knot);
    const mean =
      hour === knot ? from : from + ((means.at(day, knot + KNOT_HOURS) - from) * (hour - knot)) / KNOT_HOURS;
    return mean + (this.#dailyCourse[hour] ?? 0);
  }

  /** Writes the temperatures at the middles of the 96 quarter hours of a day, C, into `temperatures` and returns it. */
  fillDay(day: number, temperatures: Float64Array): Float64Array {
    const course = this.#dailyCourse;
    let mean = this.#mean.at(day, 0);
    for (let knot = 0; knot < HOURS_PER_DAY; knot += KNOT_HOURS) {
      const rise = (this.#mean.at(day, knot + KNOT_HOURS) - mean) / KNOT_HOURS;
      for (let hour = knot; hour < knot + KNOT_HOURS; hour++) {
        const from = mean + (course[hour] ?? 0);
        mean += rise;
        const step = mean + (course[hour + 1] ?? 0) - from;
        temperatures[4 * hour] = from + step * 0.125;
        temperatures[4 * hour + 1] = from + step * 0.375;
        temperatures[4 * hour + 2] = from + step * 0.625;
        temperatures[4 * hour + 3] = from + step * 0.875;
      }
    }
    return temperatures;
  }
}
