/** Clouds over a place: how much of the light of each quarter hour comes through, such that the day is as clear as it is. */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { NOISE_CHANNEL } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { dayOfYear } from '../time/calendar.ts';
import type { Climate } from './climate.ts';
import { dailyClearness } from './cloudiness.ts';
import type { DailyWeather } from './daily-weather.ts';
import { clearSkyIrradiance, topIrradiance } from './light.ts';
import { BlendWeights, NoiseField } from './noise-field.ts';

/** Fields of clouds and single clouds: their size, the quarter hours for which they last and their part. */
const PASSING_SCALE = { spacingKm: 75, reachKm: 140 };
const PASSING_STEP = 10;
const PASSING_WEIGHTS = new BlendWeights(PASSING_STEP, 0, 0.835);
const SINGLE_SCALE = { spacingKm: 11, reachKm: 20 };
const SINGLE_STEP = 2;
const SINGLE_WEIGHTS = new BlendWeights(SINGLE_STEP, 0, 0.55);

/** Least and most that comes through a cloud or beside it, in parts of the clear sky's light. */
const DARKEST = 0.03;
const CLEAREST = 1.04;
/** White edges of clouds add to the sun. */
const BRIGHTEST = 1.15;
/** Bounds of the day's share of the way between darkest and clearest. */
const LEAST_SHARE = 0.005;
const MOST_SHARE = 0.985;

/** The clouds over a place, latitude and longitude in degrees. */
export class CloudField {
  readonly #climate: Climate;
  readonly #daily: DailyWeather;
  readonly #passing: NoiseField;
  readonly #single: NoiseField;
  /** Light of a cloudless sky in the quarter hours of the day that is computed, W/m². */
  readonly #clear: Float64Array;

  /** `workspace`: 96 numbers that are written over. */
  constructor(
    seed: Seed,
    climate: Climate,
    daily: DailyWeather,
    latitude: number,
    longitude: number,
    workspace: Float64Array,
  ) {
    this.#climate = climate;
    this.#daily = daily;
    this.#passing = new NoiseField(seed, NOISE_CHANNEL.passingClouds, PASSING_SCALE, latitude, longitude);
    this.#single = new NoiseField(seed, NOISE_CHANNEL.singleClouds, SINGLE_SCALE, latitude, longitude);
    this.#clear = workspace;
  }

  /**
   * Writes the global irradiance (W/m²) of a solar day (days since 1970) into `global`, by the cosines of the zenith angle
   * in its 96 quarter hours, of which the first counts `firstQuarter` since 1970.
   */
  fillDay(day: number, firstQuarter: number, sunHeights: Float64Array, global: Float64Array): void {
    const clear = this.#clear;
    let clearSum = 0;
    let heights = 0;
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      const height = sunHeights[i] ?? 0;
      const light = height > 0 ? clearSkyIrradiance(height) : 0;
      clear[i] = light;
      clearSum += light;
      if (height > 0) heights += height;
    }
    if (clearSum < 1) {
      global.fill(0);
      return;
    }
    const climate = this.#climate;
    const date = dayOfYear(day);
    const top = heights * topIrradiance(date);
    const mean = climate.clearness.atDayOfYear(date);
    const spread = climate.clearnessSpread.at(date);
    const wanted = dailyClearness(mean, spread, clearSum / top, this.#daily.skyOn(day)) * top;
    const part = (wanted / clearSum - DARKEST) / (CLEAREST - DARKEST);
    const share = Math.min(MOST_SHARE, Math.max(LEAST_SHARE, part));
    const sum = this.#fillClouded(firstQuarter, Math.log(share / (1 - share)), global);
    const scale = wanted / sum;
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      global[i] = Math.min(scale * (global[i] ?? 0), BRIGHTEST * (clear[i] ?? 0));
    }
  }

  /** Writes the light under the clouds of each quarter hour, around `level` on the logistic curve; returns its sum. */
  #fillClouded(firstQuarter: number, level: number, global: Float64Array): number {
    const clear = this.#clear;
    let passingKnot = NaN;
    let singleKnot = NaN;
    let [passing, nextPassing, single, nextSingle, sum] = [0, 0, 0, 0, 0];
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      const light = clear[i] ?? 0;
      if (light <= 0) {
        global[i] = 0;
        continue;
      }
      const quarter = firstQuarter + i;
      const knot = Math.floor(quarter / PASSING_STEP);
      if (knot !== passingKnot) {
        passing = knot === passingKnot + 1 ? nextPassing : this.#passing.at(knot);
        nextPassing = this.#passing.at(knot + 1);
        passingKnot = knot;
      }
      const short = Math.floor(quarter / SINGLE_STEP);
      if (short !== singleKnot) {
        single = short === singleKnot + 1 ? nextSingle : this.#single.at(short);
        nextSingle = this.#single.at(short + 1);
        singleKnot = short;
      }
      const step = quarter - PASSING_STEP * knot;
      const shortStep = quarter - SINGLE_STEP * short;
      const noise =
        (PASSING_WEIGHTS.from[step] ?? 0) * passing +
        (PASSING_WEIGHTS.to[step] ?? 0) * nextPassing +
        (SINGLE_WEIGHTS.from[shortStep] ?? 0) * single +
        (SINGLE_WEIGHTS.to[shortStep] ?? 0) * nextSingle;
      const through = light * (DARKEST + (CLEAREST - DARKEST) / (1 + Math.exp(-level - noise)));
      global[i] = through;
      sum += through;
    }
    return sum;
  }
}
