/** The weather of a place from day to day: how warm, how clear and how wide its days are, each with its memory. */
import { NOISE_CHANNEL } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { allocateFloat64Array } from '../kernel/typed-arrays.ts';
import { dayOfYear } from '../time/calendar.ts';
import type { Climate } from './climate.ts';
import { NoiseField, RememberedNoise, autoregressiveResponse } from './noise-field.ts';
import type { FieldScale } from './noise-field.ts';

/** Highs and lows, fronts, and what is left of them over a county. */
const PRESSURE_SCALE: FieldScale = { spacingKm: 380, reachKm: 1000 };
const FRONT_SCALE: FieldScale = { spacingKm: 220, reachKm: 520 };
const SHOWER_SCALE: FieldScale = { spacingKm: 75, reachKm: 170 };
/** Parts that fronts and showers have in how clear a day is; their squares sum to 1. */
const CLOUD_SHARES = [0.8, 0.6];

/** Days that temperature and clearness remember. */
const TEMPERATURE_TERMS = 12;
const CLEARNESS_TERMS = 4;
/** A year less its two harmonics reads autocorrelations so much lower than they are. */
const MEMORY_LOSS = 0.015;
/** Mean departures lose so much of their correlation with clearness in the logistic curve of cloudFieldOf. */
const WARMTH_GAIN = 1.12;
/** The course of a day has so much of its range; the rest is the way from day to day. */
const RANGE_SHARE = 0.965;
/** By how much a clear day is wider for each correlation, and how much chance there is besides. */
const RANGE_BY_CLEARNESS = 0.28 / 0.6;
const RANGE_CHANCE = 0.3;
const LEAST_RANGE = 0.15;
/** A day is at most so much wider than the mean, in parts of it. */
const MOST_WIDE = 1.4;

/** Days kept: those around the one asked for. A power of two. */
const KEPT_DAYS = 8;

/** Mean solar days of a place, counted since 1970. The answers of some days are kept. */
export class DailyWeather {
  readonly #climate: Climate;
  readonly #temperature: RememberedNoise;
  readonly #clouds: RememberedNoise;
  readonly #range: NoiseField;
  readonly #days = allocateFloat64Array(KEPT_DAYS).fill(NaN);
  readonly #means = allocateFloat64Array(KEPT_DAYS);
  readonly #ranges = allocateFloat64Array(KEPT_DAYS);
  readonly #skies = allocateFloat64Array(KEPT_DAYS);

  constructor(seed: Seed, climate: Climate, latitude: number, longitude: number) {
    const field = (channel: number, scale: FieldScale) =>
      new NoiseField(seed, channel, scale, latitude, longitude);
    this.#climate = climate;
    const [first, second] = climate.memory;
    const response = autoregressiveResponse(first + MEMORY_LOSS, second + MEMORY_LOSS, TEMPERATURE_TERMS);
    this.#temperature = new RememberedNoise([field(NOISE_CHANNEL.airMass, PRESSURE_SCALE)], [1], response);
    const warmth = (climate.clearnessWarmth.mean * WARMTH_GAIN) ** 2;
    const own = Math.min(0.8, Math.max(-0.2, (climate.clearnessMemory - warmth * first) / (1 - warmth)));
    this.#clouds = new RememberedNoise(
      [field(NOISE_CHANNEL.fronts, FRONT_SCALE), field(NOISE_CHANNEL.showers, SHOWER_SCALE)],
      CLOUD_SHARES,
      autoregressiveResponse(own, own * own, CLEARNESS_TERMS),
    );
    this.#range = field(NOISE_CHANNEL.dailyRange, FRONT_SCALE);
  }

  /** Mean temperature of a day, C. */
  meanOn(day: number): number {
    return this.#means[this.#slotOf(day)] ?? 0;
  }

  /** Span between the coldest and the warmest time of a day, K. */
  rangeOn(day: number): number {
    return this.#ranges[this.#slotOf(day)] ?? 0;
  }

  /** How clear a day is among those of its season: mean 0, standard deviation 1. */
  skyOn(day: number): number {
    return this.#skies[this.#slotOf(day)] ?? 0;
  }

  #slotOf(day: number): number {
    const slot = day & (KEPT_DAYS - 1);
    if (this.#days[slot] !== day) this.#compute(day, slot);
    return slot;
  }

  #compute(day: number, slot: number): void {
    const climate = this.#climate;
    const date = dayOfYear(day);
    const x = this.#temperature.at(day);
    const skew = climate.skew.at(date);
    const departure = (x + skew * (x * x - 1)) / Math.sqrt(1 + 2 * skew * skew);
    const share = Math.min(0.9, Math.max(-0.9, climate.clearnessWarmth.at(date) * WARMTH_GAIN));
    const sky = share * x + Math.sqrt(1 - share * share) * this.#clouds.at(day);
    const wide = RANGE_BY_CLEARNESS * climate.clearnessRange * sky + RANGE_CHANCE * this.#range.at(day);
    const wideness = 1 + wide / Math.sqrt(1 + (wide / MOST_WIDE) ** 2);
    this.#means[slot] = climate.normTemperatureAt(date) + climate.spread.at(date) * departure;
    this.#ranges[slot] = climate.range.atDayOfYear(date) * RANGE_SHARE * Math.max(LEAST_RANGE, wideness);
    this.#skies[slot] = sky;
    this.#days[slot] = day;
  }
}
