/**
 * By how much a day of a household differs from what is expected: who is at home, slow factors, the day's mood
 * (docs/simulation.md#occupancy-and-absence).
 */
import type { Household } from '../household/household.ts';
import { NOISE_CHANNEL, WORD_VALUES, hashInStream, hashStream, splitSeed } from '../kernel/noise.ts';
import { bellOfHash } from '../kernel/normal-table.ts';
import { allocateFloat64Array } from '../kernel/typed-arrays.ts';
import type { DayType } from '../time/day-type.ts';
import { BLOCKS, occupancyPercents } from './occupancy.ts';
import { SlowFactors, drawRestlessness } from './slow-factors.ts';
import type { Whereabouts } from './whereabouts.ts';

/** What is left of the rest in a block in which nobody is at home (assumption), and how far its level varies by itself. */
const REST_WITHOUT_PEOPLE = 0.45;
const LEVEL_SPREAD = 0.35;
/** At night (the first block) little is done that could differ: its level does by so much of what others' do (assumption). */
const NIGHT_PART = 0.5;
/** Standard deviation of a day's factor, where people are as restless as the mean. */
const MOOD_DEVIATION = 0.14;
const slow = allocateFloat64Array(BLOCKS + 1);

interface AskedDay {
  /** Days since 1970. */
  readonly localDay: number;
  readonly type: DayType;
  /** Factor of the time of year. */
  readonly season: number;
}

/** Factors on the starts of appliances and on the rest, by block of the day. */
interface BlockFactors {
  readonly starts: Float64Array;
  readonly rest: Float64Array;
}

export class DayFactors {
  readonly #whereabouts: Whereabouts;
  readonly #profile: string;
  readonly #spread: number;
  readonly #slow: SlowFactors;
  readonly #variations: number;
  readonly #levels: number;
  readonly #moods: number;
  readonly #moodDeviation: number;

  constructor({ seed: of, index, profile, day_variation: spread }: Household, whereabouts: Whereabouts) {
    const seed = splitSeed(of);
    const stream = (channel: number): number => hashStream(seed, index, channel);
    const restlessness = drawRestlessness(seed, index);
    this.#whereabouts = whereabouts;
    this.#profile = profile;
    this.#spread = spread;
    this.#slow = new SlowFactors(seed, index, restlessness);
    this.#variations = stream(NOISE_CHANNEL.dailyLoad);
    this.#levels = stream(NOISE_CHANNEL.blockLevel);
    this.#moods = stream(NOISE_CHANNEL.dayMood);
    this.#moodDeviation = MOOD_DEVIATION * restlessness;
  }

  /** To be called before days of another calendar year, which has so many `days`, are asked for. */
  turnToYear(firstDay: number, days: number): void {
    this.#slow.turnToYear(firstDay, days);
  }

  /** Writes the factors of a day on which not all are away; returns that of what runs all through the night. */
  fill({ localDay, type, season }: AskedDay, { starts, rest }: BlockFactors): number {
    const percents = occupancyPercents(this.#profile, type);
    const atHome = this.#whereabouts.blocksAtHome(localDay);
    this.#slow.fill(localDay, slow);
    const mood = 1 + this.#moodDeviation * bellOfHash(hashInStream(this.#moods, localDay));
    const day =
      (season * this.#variationOf(localDay) * mood * (slow[BLOCKS] ?? 1)) /
      (1 - this.#whereabouts.probabilityAway(localDay));
    let steady = 1;
    for (let block = 0; block < BLOCKS; block++) {
      const part = block === 0 ? NIGHT_PART : 1;
      const factor = day * (slow[block] ?? 1);
      const here = (atHome >> block) & 1 ? 100 / (percents[block] ?? 100) : 0;
      const level =
        1 + part * LEVEL_SPREAD * ((2 * hashInStream(this.#levels, localDay, block)) / WORD_VALUES - 1);
      starts[block] = factor * here;
      rest[block] = factor * level * (REST_WITHOUT_PEOPLE + (1 - REST_WITHOUT_PEOPLE) * here);
      if (block === 0) steady = factor * level;
    }
    return steady;
  }

  /**
   * Factor of a whole day, uniform in 1 ± spread. Days come in pairs of 1 + x and 1 - x, so that the sum of the year stays.
   */
  #variationOf(localDay: number): number {
    const x = ((2 * hashInStream(this.#variations, localDay >> 1)) / WORD_VALUES - 1) * this.#spread;
    return localDay % 2 === 0 ? 1 + x : 1 - x;
  }
}
