/** When somebody is at home: by blocks of a household's day (docs/simulation.md#occupancy-and-absence). */
import type { Household } from '../household/household.ts';
import { NOISE_CHANNEL, WORD_VALUES, hashInStream, hashStream, splitSeed } from '../kernel/noise.ts';
import type { DayType } from '../time/day-type.ts';

/** Quarter hours of the household's day at which its blocks begin and the last one ends: 0, 6, 8, 12, 16, 19, 24 h. */
export const BLOCK_STARTS = [0, 24, 32, 48, 64, 76, 96] as const;
export const BLOCKS = BLOCK_STARTS.length - 1;

/** Block of a quarter hour 0..95 of a household's day. */
export function blockOf(quarter: number): number {
  let block = 0;
  while (block < BLOCKS - 1 && quarter >= (BLOCK_STARTS[block + 1] ?? 0)) block++;
  return block;
}

/** Probabilities in percent that somebody is at home in the blocks of a working day and of a day at the weekend. */
interface Habit {
  readonly workday: readonly number[];
  readonly weekend: readonly number[];
}

/** All who live there have work elsewhere. */
const OUT: Habit = { workday: [96, 90, 48, 52, 74, 88], weekend: [93, 92, 76, 70, 72, 84] };
/** Some have, children come home from school. */
const FAMILY: Habit = { workday: [96, 92, 62, 66, 84, 91], weekend: [94, 93, 78, 72, 75, 86] };
/** Somebody is at home most of the day. */
const HOME: Habit = { workday: [96, 92, 80, 76, 80, 90], weekend: [95, 93, 80, 74, 76, 88] };

/** By archetype (assumption); all others are at home as retired people are. */
const HABITS: Readonly<Record<string, Habit>> = {
  single_working: OUT,
  couple_working: OUT,
  shared_flat: OUT,
  family_one_child: FAMILY,
  family_two_children: FAMILY,
  large_family: FAMILY,
};

/** Probabilities in percent, by block of a day of some type, that somebody of an archetype (name) is at home. */
export function occupancyPercents(profile: string, type: DayType): readonly number[] {
  const habit = HABITS[profile] ?? HOME;
  return type === 'workday' ? habit.workday : habit.weekend;
}

/** Occupancy of one household, where nobody is away for the whole day (Absences). */
export class Occupancy {
  readonly #stream: number;
  readonly #profile: string;

  constructor({ seed, index, profile }: Household) {
    this.#stream = hashStream(splitSeed(seed), index, NOISE_CHANNEL.occupancy);
    this.#profile = profile;
  }

  /** The blocks of a local day (days since 1970) of some type in which somebody is at home: bit b for block b. */
  blocksAtHome(localDay: number, type: DayType): number {
    const percents = occupancyPercents(this.#profile, type);
    let blocks = 0;
    for (let block = 0; block < BLOCKS; block++) {
      const hash = hashInStream(this.#stream, localDay, block);
      if (hash * 100 < (percents[block] ?? 0) * WORD_VALUES) blocks |= 1 << block;
    }
    return blocks;
  }
}
