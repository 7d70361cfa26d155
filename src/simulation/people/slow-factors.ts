/**
 * Weeks in which people cook more or are out more: slow factors on what a household uses, one for each block of the day, of which
 * the night's is the mean of the others, and one for all of it (docs/simulation.md#memory). Each is divided by its mean over the calendar year, so that the year
 * consumes what was asked.
 */
import { NOISE_CHANNEL, drawUniform, hashInStream, hashStream } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { bellOfHash } from '../kernel/normal-table.ts';
import { allocateFloat64Array, allocateInt32Array } from '../kernel/typed-arrays.ts';
import { BLOCKS } from './occupancy.ts';

/** Days from one drawn value to the next. */
const KNOT_DAYS = 10;
/** Weights of the values before and after a day that lies so many days after the first, with a sum of squares of 1. */
const BEFORE = Float64Array.from({ length: KNOT_DAYS }, (_, i) => weightOf(KNOT_DAYS - i, i));
const AFTER = Float64Array.from({ length: KNOT_DAYS }, (_, i) => weightOf(i, KNOT_DAYS - i));

function weightOf(its: number, other: number): number {
  return its / Math.sqrt(its * its + other * other);
}

/** The mean over a year is taken a quarter of the way after and before each drawn value: between two a factor hardly bends. */
const MORE_SAMPLED = weightOf(3, 1);
const LESS_SAMPLED = weightOf(1, 3);

/** The first block. */
const NIGHT = 0;
/** How strongly a block follows its drawn value, and the whole household its own, where people are as restless as the mean. */
const BLOCK_STEEPNESS = 0.8;
const HOUSEHOLD_SPREAD = 0.15;
const LEAST_FACTOR = 0.2;
/** How restless people are, over the mean: uniform in 1 ± this. */
const RESTLESSNESS_SPREAD = 0.55;

/** How much more the days of a household differ than those of others: mean 1. */
export function drawRestlessness(seed: Seed, index: number): number {
  return 1 + RESTLESSNESS_SPREAD * (2 * drawUniform(seed, index, NOISE_CHANNEL.restlessness) - 1);
}

/** The factors of one household; the one for all of the household comes after those of the blocks. */
export class SlowFactors {
  readonly #stream: number;
  readonly #steepness: number;
  readonly #spread: number;
  readonly #phases = allocateInt32Array(BLOCKS + 1);
  readonly #means = allocateFloat64Array(BLOCKS + 1);
  /** The knots used last, and the values drawn there and at the next ones. */
  readonly #knots = allocateFloat64Array(BLOCKS + 1).fill(NaN);
  readonly #before = allocateFloat64Array(BLOCKS + 1);
  readonly #after = allocateFloat64Array(BLOCKS + 1);

  constructor(seed: Seed, index: number, restlessness: number) {
    this.#steepness = BLOCK_STEEPNESS * restlessness;
    this.#spread = HOUSEHOLD_SPREAD * restlessness;
    this.#stream = hashStream(seed, index, NOISE_CHANNEL.slowFactor);
    const phases = hashStream(seed, index, NOISE_CHANNEL.slowFactorPhase);
    for (let which = 0; which <= BLOCKS; which++)
      this.#phases[which] = hashInStream(phases, which) % KNOT_DAYS;
  }

  /** Writes the factors of a local day (days since 1970) of the year turned to: blocks first, then that of the household. */
  fill(localDay: number, factors: Float64Array): void {
    let byDay = 0;
    for (let which = NIGHT + 1; which <= BLOCKS; which++) {
      const factor = this.#valueOf(which, localDay) / (this.#means[which] ?? 1);
      factors[which] = factor;
      if (which < BLOCKS) byDay += factor;
    }
    // Who does little by day in these weeks does not sit up by night.
    factors[NIGHT] = byDay / (BLOCKS - 1);
  }

  #drawKnot(which: number, knot: number): number {
    return bellOfHash(hashInStream(this.#stream, knot, which));
  }

  #valueOf(which: number, localDay: number): number {
    const shifted = localDay + (this.#phases[which] ?? 0);
    const knot = Math.floor(shifted / KNOT_DAYS);
    const since = shifted - knot * KNOT_DAYS;
    if (this.#knots[which] !== knot) {
      this.#before[which] =
        this.#knots[which] === knot - 1 ? (this.#after[which] ?? 0) : this.#drawKnot(which, knot);
      this.#after[which] = this.#drawKnot(which, knot + 1);
      this.#knots[which] = knot;
    }
    const z =
      (BEFORE[since] ?? 0) * (this.#before[which] ?? 0) + (AFTER[since] ?? 0) * (this.#after[which] ?? 0);
    return this.#levelOf(which, z);
  }

  /** Takes the means of a calendar year of so many days. */
  turnToYear(firstDay: number, days: number): void {
    for (let which = NIGHT + 1; which <= BLOCKS; which++) {
      const shifted = firstDay + (this.#phases[which] ?? 0);
      const first = Math.floor(shifted / KNOT_DAYS);
      const end = Math.floor((shifted + days - 1) / KNOT_DAYS) + 1;
      let before = this.#drawKnot(which, first);
      let sum = 0;
      for (let knot = first; knot < end; knot++) {
        const after = this.#drawKnot(which, knot + 1);
        sum +=
          this.#levelOf(which, MORE_SAMPLED * before + LESS_SAMPLED * after) +
          this.#levelOf(which, LESS_SAMPLED * before + MORE_SAMPLED * after);
        before = after;
      }
      this.#means[which] = sum / (2 * (end - first));
    }
  }

  /** Factor at a value with standard deviation 1: for blocks between 0 and 2, with mean 1. */
  #levelOf(which: number, z: number): number {
    if (which === BLOCKS) return Math.max(LEAST_FACTOR, 1 + this.#spread * z);
    const steep = this.#steepness * z;
    return 1 + steep / Math.sqrt(1 + steep * steep);
  }
}
