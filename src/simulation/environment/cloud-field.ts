/** Clouds over a place: how much of the light of each quarter hour comes through, such that the day is as clear as it is. */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { NOISE_CHANNEL } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { dayOfYear } from '../time/calendar.ts';
import type { Climate } from './climate.ts';
import { dailyClearness } from './cloudiness.ts';
import type { DailyWeather } from './daily-weather.ts';
import { tabledClearSkyIrradiance, topIrradiance } from './light.ts';
import { BlendWeights, NoiseField } from './noise-field.ts';
import type { SolarRows } from './solar-rows.ts';

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

/** What comes through, by clouds between -CLOUD_BOUND and CLOUD_BOUND on the logistic curve: straight lines between steps. */
const CLOUD_BOUND = 12;
const CLOUD_STEPS = 128;
const THROUGH = Float64Array.from({ length: 2 * CLOUD_BOUND * CLOUD_STEPS + 2 }, (_, i) => {
  const level = i / CLOUD_STEPS - CLOUD_BOUND;
  return DARKEST + (CLEAREST - DARKEST) / (1 + Math.exp(-level));
});

/** What comes through at a level of the logistic curve, in parts of the clear sky's light; within 0.000001. */
function throughAt(level: number): number {
  const at = (Math.min(CLOUD_BOUND, Math.max(-CLOUD_BOUND, level)) + CLOUD_BOUND) * CLOUD_STEPS;
  const step = at | 0;
  const from = THROUGH[step] ?? 0;
  return from + ((THROUGH[step + 1] ?? 0) - from) * (at - step);
}

/** Memory in which one day after the other is computed, of any place. */
const workspace = {
  /** Light of a cloudless sky in the quarter hours, W/m². */
  clear: new Float64Array(QUARTER_HOURS_PER_DAY),
  /** The fields' values between which the quarter hours are. */
  passing: new Float64Array(QUARTER_HOURS_PER_DAY),
  single: new Float64Array(QUARTER_HOURS_PER_DAY),
} as const;

/** The clouds over a place, latitude and longitude in degrees. */
export class CloudField {
  readonly #climate: Climate;
  readonly #daily: DailyWeather;
  readonly #passing: NoiseField;
  readonly #single: NoiseField;

  constructor(seed: Seed, climate: Climate, daily: DailyWeather, latitude: number, longitude: number) {
    this.#climate = climate;
    this.#daily = daily;
    this.#passing = new NoiseField(seed, NOISE_CHANNEL.passingClouds, PASSING_SCALE, latitude, longitude);
    this.#single = new NoiseField(seed, NOISE_CHANNEL.singleClouds, SINGLE_SCALE, latitude, longitude);
  }

  /**
   * Writes the global irradiance (W/m²) of a solar day (days since 1970) into `global`, where the sun may be up. Its first
   * quarter hour counts `firstQuarter` since 1970.
   */
  fillDay(day: number, firstQuarter: number, sun: SolarRows, global: Float64Array): void {
    const { from, to, heights } = sun;
    const { clear } = workspace;
    let clearSum = 0;
    let heightSum = 0;
    for (let i = from; i < to; i++) {
      const height = heights[i] ?? 0;
      const light = height > 0 ? tabledClearSkyIrradiance(height) : 0;
      clear[i] = light;
      clearSum += light;
      if (height > 0) heightSum += height;
    }
    if (clearSum < 1) {
      global.fill(0, from, to);
      return;
    }
    const climate = this.#climate;
    const date = dayOfYear(day);
    const top = heightSum * topIrradiance(date);
    const mean = climate.clearness.atDayOfYear(date);
    const spread = climate.clearnessSpread.at(date);
    const wanted = dailyClearness(mean, spread, clearSum / top, this.#daily.skyOn(day)) * top;
    const part = (wanted / clearSum - DARKEST) / (CLEAREST - DARKEST);
    const share = Math.min(MOST_SHARE, Math.max(LEAST_SHARE, part));
    const scale = wanted / this.#fillClouded(firstQuarter, Math.log(share / (1 - share)), sun, global);
    for (let i = from; i < to; i++) {
      global[i] = Math.min(scale * (global[i] ?? 0), BRIGHTEST * (clear[i] ?? 0));
    }
  }

  /** Writes the light under the clouds of each quarter hour, around `level` on the logistic curve; returns its sum. */
  #fillClouded(firstQuarter: number, level: number, { from, to }: SolarRows, global: Float64Array): number {
    const { clear, passing, single } = workspace;
    const first = firstQuarter + from;
    const knot = Math.floor(first / PASSING_STEP);
    const short = Math.floor(first / SINGLE_STEP);
    let step = first - PASSING_STEP * knot;
    let shortStep = first - SINGLE_STEP * short;
    this.#passing.fill(knot, Math.floor((step + to - from - 1) / PASSING_STEP) + 2, passing);
    this.#single.fill(short, Math.floor((shortStep + to - from - 1) / SINGLE_STEP) + 2, single);
    let at = 0;
    let shortAt = 0;
    let sum = 0;
    for (let i = from; i < to; i++) {
      const noise =
        (PASSING_WEIGHTS.from[step] ?? 0) * (passing[at] ?? 0) +
        (PASSING_WEIGHTS.to[step] ?? 0) * (passing[at + 1] ?? 0) +
        (SINGLE_WEIGHTS.from[shortStep] ?? 0) * (single[shortAt] ?? 0) +
        (SINGLE_WEIGHTS.to[shortStep] ?? 0) * (single[shortAt + 1] ?? 0);
      const through = (clear[i] ?? 0) * throughAt(level + noise);
      global[i] = through;
      sum += through;
      if (++step === PASSING_STEP) {
        step = 0;
        at++;
      }
      if (++shortStep === SINGLE_STEP) {
        shortStep = 0;
        shortAt++;
      }
    }
    return sum;
  }
}
